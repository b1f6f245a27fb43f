//go:build !goprofinstr_std

package runfile

// The twins of those in exit_std.go for tests and tools, whose programs do not tell when they exit.

func AtExit(func()) {}

// AtSuccess is for programs.
func AtSuccess(func()) {}

func inMain() bool { return false }
