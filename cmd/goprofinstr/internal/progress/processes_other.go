//go:build !linux

package progress

// processes returns none.
func processes() []process { return nil }
