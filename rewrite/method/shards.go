package method

import (
	"github.com/goprofinstr/goprofinstr/rewrite/internal/emit"
	rtevent "github.com/goprofinstr/goprofinstr/rt/event"
)

// shards adds with calls that lose nothing under concurrency: to the thread's own counters, which the runtime adds up.
type shards struct{ *emit.Names }

func (a shards) Add(counter string) Code { return call(a.Names, "$exact.Exact", address(counter)) }

func (a shards) start() string { return a.Sprintf("var _=$exact.UseShards()\n") }
func (shards) mode() uint32    { return rtevent.Atomic }

// atomics adds with atomic instructions. It stands in for shards under the race detector, which would see every
// goroutine write what is its thread's own.
type atomics struct{ *emit.Names }

func (a atomics) Add(counter string) Code { return call(a.Names, "$Inc", address(counter)) }

func (atomics) start() string { return "" }
func (atomics) mode() uint32  { return rtevent.Atomic }

func newAdder(o Options, n *emit.Names) adder {
	switch {
	case !o.Atomic:
		return plain{n}
	case o.Race:
		return atomics{n}
	}
	return shards{n}
}

// raced is a method in a build for the race detector.
type raced struct{ Method }

// DeclineNosplit declines what no method can count then: the race detector's calls need stack.
func (raced) DeclineNosplit() string { return "marked go:nosplit, and under -race counting is a call" }
