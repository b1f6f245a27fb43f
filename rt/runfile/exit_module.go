//go:build !goprofinstr_std

package runfile

// The twins of those in exit_std.go for tests and tools, whose programs do not tell when they exit.

func AtExit(func()) {}

func inMain() bool { return false }
