//go:build goprofinstr_std

package rt

import "internal/runtime/exithook"

// atExit has f called when the program exits, before what was added earlier.
func atExit(f func()) { exithook.Add(exithook.Hook{F: f, RunOnFailure: true}) }

// inMain reports whether the main goroutine is running.
func inMain() bool { return exithook.Goid() == 1 }
