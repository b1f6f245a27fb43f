// Package durable has names of files survive a power cut.
package durable

import "os"

// SyncFolder makes the names in a folder last that were given or removed. It is left to chance where folders cannot be opened, as
// on Windows, or synced.
func SyncFolder(name string) {
	if f, err := os.Open(name); err == nil {
		f.Sync()
		f.Close()
	}
}
