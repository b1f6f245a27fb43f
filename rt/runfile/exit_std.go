//go:build goprofinstr_std

package runfile

import "internal/runtime/exithook"

// AtExit has f called when the program exits, before what was added earlier.
func AtExit(f func()) { exithook.Add(exithook.Hook{F: f, RunOnFailure: true}) }

// inMain reports whether the main goroutine is running.
func inMain() bool { return exithook.Goid() == 1 }
