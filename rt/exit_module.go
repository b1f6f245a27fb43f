//go:build !goprofinstr_std

package rt

// The twin of exit_std.go for tests and tools, whose programs do not tell when they exit.
func atExit(func()) {}
