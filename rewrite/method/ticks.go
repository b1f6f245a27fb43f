package method

import (
	"fmt"
	"strings"
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
	Copies bool          // there are no probes: copies of the machine code count
	Frames uint64        // the most new frames of a calling context that a sample may find; 0 if no contexts are found
	Marks  bool          // activations have a word, in which ticks leave a mark
}

// On reports whether paths are sampled.
func (s Sampling) On() bool { return s.Policy.Samples > 0 }

// ticks samples path ends in bursts: PEP 3.2. In place of the count there is a test whether the function is counted, or there
// is a burst.
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

// Variables has a switch for each function.
func (t *ticks) Variables(p Package) string {
	var list strings.Builder
	for _, f := range p.Functions {
		if f.Storage == table.StorageHash {
			fmt.Fprintf(&list, "{%d,0,%d},", f.First, f.Hash)
		} else {
			fmt.Fprintf(&list, "{%d,%d,0},", f.First, f.Numbering.Values.NumPaths)
		}
	}
	n := len(p.Functions)
	return t.Sprintf("var %[1]s [2*$sampled.Pad+%[2]d]$sampled.Switch\nvar %[1]sF=[%[2]d+1]$sampled.Function{%[3]s}\n",
		t.Sites, n, list.String())
}

func (t *ticks) Start(p Package) string {
	return t.startSampling() + t.Sprintf("var _=$sampled.UseFunctions(&$sampled.Functions{"+
		"Switches:&%[1]s[$sampled.Pad],List:&%[1]sF[0],N:%[2]d,Counters:&%[3]s,Hashes:%[4]s})\n",
		t.Sites, len(p.Functions), CounterOf(t.Names, 0), p.Hash)
}

func (t *ticks) startSampling() string {
	return t.Sprintf("var _=$sampled.StartSampling(&%s)\n", t.settings())
}

// settings returns the Sampling of package sampled.
func (t *ticks) settings() string {
	return t.Sprintf("$sampled.Sampling{Kind:%d,Samples:%d,Stride:%d,Budget:%d,Period:%d,Frames:%d,Marks:%t}",
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
		args = f.hashed(t.Names) + "," + f.PathNumber(op)
	case op.Count == pathnum.CountRegister:
		args = t.Sprintf("$sampled.Pair(&%s,%s)", CounterOf(t.Names, 2*f.First), f.PathNumber(op))
	default:
		args = "&" + CounterOf(t.Names, 2*(f.First+op.Inc))
	}
	on := t.Sprintf("%s[$sampled.Pad+%d]", t.Sites, f.Number)
	if f.Storage == table.StorageHash {
		return Code{
			t.Sprintf("if %[1]s.On{$sampled.CountHash(&%[1]s,%[2]s);$sampled.Sample"+path+"(%[3]s)}", on, args, args+word),
			t.Sprintf("$sampled.CountHash(&%[1]s,%[2]s)==0&&$sampled.Probe"+path+"(&%[1]s,%[3]s)==0", on, args, args+word),
		}
	}
	args = "&" + on + "," + args + word
	return Code{
		t.Sprintf("if %s.On{$sampled.Sample"+path+"(%s)}", on, args),
		t.Sprintf("$sampled.Probe"+path+"(%s)==0", args),
	}
}

func (*ticks) DescribeFunction(*Function, *table.Function) {}
