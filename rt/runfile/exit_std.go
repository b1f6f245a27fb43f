//go:build goprofinstr_std

package runfile

import "internal/runtime/exithook"

// AtExit has f called when the program exits, before what was added earlier.
func AtExit(f func()) { exithook.Add(exithook.Hook{F: f, RunOnFailure: true}) }

// AtSuccess has f called when the program exits with code 0.
func AtSuccess(f func()) { exithook.Add(exithook.Hook{F: f}) }

// inMain reports whether the main goroutine is running.
func inMain() bool { return exithook.Goid() == 1 }
