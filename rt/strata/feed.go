package strata

import (
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/rt/sys"
	"github.com/goprofinstr/goprofinstr/sampler/stream"
)

// Events that other compressors than strata with periodic samplers take are fed to them by a call: for all that package stream
// has, and to compare it with strata. Their state is in the Go heap, so SIGKILL loses what it holds.

// feeders is how many compressors there are. Goroutines that do nothing but count want one for each processor; more than these
// lose events.
const feeders = 8

var feeding [feeders]feeder

// finished is 1 when the process is about to exit: then all feeders are taken, and what comes is not counted any more.
var finished U

type feeder struct {
	busy     U
	pipeline *stream.Pipeline // nil if no events are fed
	_        [64 - 8 - unsafe.Sizeof(uintptr(0))]byte
}

// A Compressor is what events are fed to: a stream.Spec.
type Compressor struct {
	Spec string // how the user writes it

	Kind, Counted, Rate        U // of its sampler
	Bits, TagBits, Fold, Table U // Counted and Fold are 0 or 1: true and false may be redeclared
}

// UseCompressor is called before the first Register of a program whose events are fed to compressors. It returns 0.
//
//go:norace
func UseCompressor(c *Compressor) U {
	if streaming { // packages are initialised one after the other
		return 0
	}
	streaming = true
	s := stream.Spec{
		Sampler: stream.Sampler{Kind: stream.SamplerKind(c.Kind), Counted: c.Counted != 0, Rate: uint32(c.Rate)},
		Bits:    uint(c.Bits), TagBits: uint(c.TagBits), Fold: c.Fold != 0, Table: int(c.Table),
	}
	for i := range feeding {
		feeding[i].pipeline = stream.New(s, U(i))
	}
	runfile.OpenStream(c.Spec, 0, 0, &strata[0])
	runfile.AtExit(finishFeeding)
	return 0
}

// Feed feeds an event to a compressor, and counts the message that comes out of it, if any, in the hash table that it is of.
//
//go:norace
//go:noinline
func Feed(h *rt.Hash, value U) {
	f := freeFeeder()
	if f == nil {
		if sys.Load64(&finished) == 0 {
			runfile.Lose()
		}
		return
	}
	t, n := f.pipeline.Event(stream.Tuple{Site: U(uintptr(unsafe.Pointer(h))), Value: value})
	sys.Store64(&f.busy, 0)
	if n != 0 {
		countMessage(t, n)
	}
}

// freeFeeder returns a feeder that no other thread is in, or nil.
//
//go:norace
func freeFeeder() *feeder {
	first := sys.Thread()
	for i := range U(feeders) {
		f := &feeding[(first+i)%feeders]
		if f.pipeline != nil && sys.CAS64(&f.busy, 0, 1) {
			return f
		}
	}
	return nil
}

// countMessage adds a message, that a tuple has occurred n times, to the estimates of its hash table.
//
//go:norace
func countMessage(t stream.Tuple, n U) {
	h := (*rt.Hash)(sys.Pointer(uintptr(t.Site)))
	estimate, samples := rt.CounterOf(h, t.Value+1), rt.CounterOf(h, t.Value|runfile.SamplesOf+1)
	if estimate == nil || samples == nil {
		runfile.Lose()
		return
	}
	sys.Add64(estimate, n*runfile.SampleUnit)
	sys.Add64(samples, 1)
}

// finishFeeding counts what tables hold, and notes what the compressors do: the process is about to exit.
//
//go:norace
func finishFeeding() {
	sys.Store64(&finished, 1) // before any feeder is taken
	held, known := int64(0), true
	for i := range feeding {
		f := &feeding[i]
		if !f.take() { // for good: there are no more events
			known = false
			continue
		}
		for t, n := f.pipeline.Flush(); n != 0; t, n = f.pipeline.Flush() {
			countMessage(t, n)
		}
		events, exact := f.pipeline.Held()
		held, known = held+events, known && exact
	}
	if known {
		runfile.NoteHeld(U(held))
	}
}

// mostTries is how often take tries: a thread that runs is out of a feeder in much less than a microsecond.
var mostTries = 1 << 14

// take waits until no other thread is in a feeder, and reports whether none is.
//
//go:norace
func (f *feeder) take() bool {
	for range mostTries {
		if sys.CAS64(&f.busy, 0, 1) {
			return true
		}
	}
	return false
}
