// Package tick has what all ways of sampling share: when there are ticks, the clocks, how much of the time the program waits,
// and what sampling may cost.
//
// A tick is a signal of a timer (signal.go) or comes from the runtime's monitor (monitor.go). What is done at it is said by
// [Handlers], which package sampled has.
//
// What is said here and what signal.go.txt, ticker.go.txt and awake.go.txt add to package runtime belong together.
package tick

import "unsafe"

// U is the type of counters.
type U = uint64

// Handlers are called by signal handlers, on their stacks, but for Finish. InC says that the thread is in C code. At is what
// runtime.GoprofinstrStack takes.
type Handlers struct {
	// Tick is for a tick. Overruns are ticks that have come to nothing, since they came too soon after others. Idle says that the
	// thread runs no goroutine, or one that sleeps. Looked is how long an idle thread has worked since its last tick, ns of CPU
	// time: it looks for goroutines. It is 0 if the thread sleeps or is the runtime's monitor.
	Tick func(overruns, looked U, idle, inC bool, at unsafe.Pointer)
	// WindowOver is for what EndWindow and ComeBack have ordered.
	WindowOver func(inC bool, at unsafe.Pointer)
	// Fault is for a fault at an address, and reports whether it was ours.
	Fault func(address uintptr, at unsafe.Pointer) bool
	// Finish is for when the process is about to exit.
	Finish func()
}

var handlers Handlers

// Handle says what is called. It is for before anything of this package starts.
//
//go:norace
func Handle(h Handlers) { handlers = h }
