//go:build !linux

package doctor

import "runtime"

// system says what is known of systems other than Linux.
func system() []Finding {
	return []Finding{{Name: "ticks", State: Unknown,
		Text: "on " + runtime.GOOS + " they come from the Go runtime's monitor, and nobody has tried it"}}
}
