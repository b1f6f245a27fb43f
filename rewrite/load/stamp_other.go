//go:build !linux

package load

import "io/fs"

func stampOf(name string, info fs.FileInfo) stamp {
	return stamp{Name: name, Mode: info.Mode(), Size: info.Size(), Written: info.ModTime().UnixNano()}
}
