package method

import (
	"fmt"

	"github.com/goprofinstr/goprofinstr/rewrite/internal/emit"
	rtstrata "github.com/goprofinstr/goprofinstr/rt/strata"
	"github.com/goprofinstr/goprofinstr/sampler/stream"
	"github.com/goprofinstr/goprofinstr/ssacfg/pathnum"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// Stream says how the stream of events is compressed. The zero Stream says that it is not.
type Stream struct {
	Text string // how the user writes Spec
	Spec stream.Spec

	// Counted is how many paths a function may have for them to be counted, each in a counter of its own, rather than
	// sampled. If it is 0, all are sampled.
	Counted uint64
	// PathsOnly says that other events are counted.
	PathsOnly bool
}

// On reports whether events are sampled.
func (s Stream) On() bool { return s.Spec != stream.Spec{} }

// inLine reports whether code in line samples events: H[P_r]_n and P_r, which is the same with one stratum. Others take
// calls.
func (s Stream) inLine() bool {
	periodic := stream.Sampler{Kind: stream.KindPeriodic, Rate: s.Spec.Sampler.Rate}
	return s.On() && s.Spec == stream.Spec{Sampler: periodic, Bits: s.Spec.Bits} && 1<<s.Spec.Bits <= rtstrata.MostStrata
}

// streamed is what strata and fed have in common: messages in place of counts of paths, but in functions with few
// of them.
type streamed struct {
	*emit.Names
	Stream
	pkg     string // import path of the package
	counted *exact // of the other functions, and of events that are counted
	used    bool   // there are events that are sampled
}

func newStreamed(o Options, n *emit.Names, pkg string) streamed {
	return streamed{Names: n, Stream: o.Stream, pkg: pkg, counted: newExact(o, n)}
}

func (s *streamed) Complete() bool              { return s.Counted > 0 }
func (*streamed) Length(counters uint64) uint64 { return counters }
func (*streamed) Variables(Package) string      { return "" }

// DescribePackage says of what the package has messages. Where all counts are estimates, each has the number of its
// samples, too, when it is read.
func (s *streamed) DescribePackage(t *table.Package, counters uint64) {
	t.Counters = counters
	if !s.PathsOnly {
		t.Events = table.Strata
	}
	if !s.Complete() {
		t.Counters, t.Counts = 2*counters, table.Strata
	}
}

// few returns how a function is counted whose paths are few enough; the other functions have hash tables.
func (s *streamed) few(paths, most uint64) (p Paths, array bool) {
	return s.counted, paths <= min(most, s.Counted)
}

// What follows is of the Paths of strata and fed.

func (*streamed) Counter() Counter         { return nil }
func (*streamed) Enter(f *Function) string { return "" }

func (*streamed) DescribeFunction(_ *Function, t *table.Function) { t.Counts = table.Strata }

// An eventValue is the value of an event: what a variable holds, if there is one, and a number.
type eventValue struct {
	register string
	number   uint64
	wide     bool // it can have more than 32 bits
}

func (v eventValue) String() string {
	if v.register == "" {
		return fmt.Sprint(v.number)
	}
	return v.register + Signed(v.number, "+", "-")
}

// value returns the value of the end of a path as an event.
func (f *Function) value(op pathnum.Op) eventValue {
	v := eventValue{number: op.Inc, wide: f.Numbering.Values.NumPaths > 1<<32}
	if op.Count == pathnum.CountRegister {
		v.register = f.Register
	}
	return v
}
