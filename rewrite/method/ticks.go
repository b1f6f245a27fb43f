package method

import (
	"time"

	"github.com/goprofinstr/goprofinstr/rewrite/internal/emit"
	"github.com/goprofinstr/goprofinstr/sampler"
	"github.com/goprofinstr/goprofinstr/ssacfg/pathnum"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// Sampling says how paths are sampled. The zero Sampling says that they are not.
type Sampling struct {
	Policy sampler.Policy
	Budget uint64        // share of CPU time, in millionths
	Period time.Duration // CPU time between ticks
	Native bool          // probes are markers, which are patched away after linking
	Frames uint64        // the most new frames of a calling context that a sample may find; 0 if no contexts are found
	Marks  bool          // activations have a word, in which ticks leave a mark
}

// On reports whether paths are sampled.
func (s Sampling) On() bool { return s.Policy.Samples > 0 }

// ticks samples path ends in bursts: PEP 3.2. In place of the count there is a test whether there is a burst.
type ticks struct {
	*emit.Names
	Sampling
}

func init() {
	register("ticks", func(o Options, n *emit.Names, _ string) Method { return &ticks{n, o.Sampling} })
}

func (*ticks) DeclineNosplit() string { return "" }
func (*ticks) Complete() bool         { return false }

func (t *ticks) Paths(paths, most uint64) (p Paths, array bool) { return t, paths <= most }

// Event is for events that there are none of: -mode sampled looks at ends of paths only.
func (*ticks) Event(int) Event { return Event{} }

// Length has room for the number of a count's samples beside each.
func (*ticks) Length(counters uint64) uint64 { return 2 * counters }
func (*ticks) Variables(Package) string      { return "" }

func (t *ticks) Start(Package) string {
	return t.Sprintf("var _=$sampled.StartSampling(&$sampled.Sampling{"+
		"Kind:%d,Samples:%d,Stride:%d,Budget:%d,Period:%d,Frames:%d,Marks:%t})\n",
		t.Policy.Kind, t.Policy.Samples, t.Policy.Stride, t.Budget, t.Period.Nanoseconds(), t.Frames, t.Marks)
}

func (*ticks) DescribePackage(t *table.Package, counters uint64) {
	t.Counters, t.Counts = 2*counters, table.Ticks
}

// What follows is ticks' Paths.

func (*ticks) Counter() Counter { return nil }

func (t *ticks) Enter(f *Function) string {
	if !t.hasWord(f) {
		return ""
	}
	return t.Sprintf("var %s $U=%d;", t.Word, f.Fresh)
}

// hasWord reports whether activations of a function have an activation word: those that may last, if they are marked. Words
// cost 1.8 points of time with native probes.
func (t *ticks) hasWord(f *Function) bool { return t.Frames > 0 && t.Marks && !f.Brief }

func (t *ticks) End(f *Function, op pathnum.Op) Code {
	path, word := "", ""
	if t.hasWord(f) {
		path, word = "Mark", ",&"+t.Word
	}
	var args string
	switch {
	case f.Storage == table.StorageHash:
		path = "Path" + path
		args = f.hashed(t.Names) + "," + f.number(op)
	case op.Count == pathnum.CountRegister:
		args = t.Sprintf("$sampled.Pair(&%s,%s)", CounterOf(t.Names, 2*f.First), f.number(op))
	default:
		args = "&" + CounterOf(t.Names, 2*(f.First+op.Inc))
	}
	args += word
	return Code{
		t.Sprintf("if $sampled.Burst.On!=0{$sampled.Sample"+path+"(%s)}", args),
		t.Sprintf("$sampled.Probe"+path+"(%s)==0", args),
	}
}

func (*ticks) DescribeFunction(*Function, *table.Function) {}
