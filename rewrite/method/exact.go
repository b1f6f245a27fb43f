package method

import (
	"fmt"
	"strings"

	"github.com/goprofinstr/goprofinstr/rewrite/internal/emit"
	"github.com/goprofinstr/goprofinstr/ssacfg/pathnum"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// exact adds one to a counter at the end of each path.
type exact struct {
	*emit.Names
	checked bool // counters are indexed with bounds checks
	adder
}

func init() {
	register("exact", func(o Options, n *emit.Names, _ string) Method { return newExact(o, n) })
}

func newExact(o Options, n *emit.Names) *exact {
	return &exact{Names: n, checked: o.Checked, adder: newAdder(o, n)}
}

// An adder adds to counters.
type adder interface {
	Counter
	start() string // see Method.Start
	mode() uint32  // see Event.Mode
}

// plain adds with ++, which loses counts under concurrency.
type plain struct{ *emit.Names }

func (a plain) Add(counter string) Code {
	return Code{counter + "++", a.Sprintf("$Count(%s)==0", address(counter))}
}

func (plain) start() string { return "" }
func (plain) mode() uint32  { return 0 }

// address returns the address of a counter.
func address(counter string) string {
	if pointer, ok := strings.CutPrefix(counter, "*"); ok {
		return pointer
	}
	return "&" + counter
}

func (*exact) DeclineNosplit() string { return "" }
func (*exact) Complete() bool         { return true }

func (e *exact) Paths(paths, most uint64) (p Paths, array bool) { return e, paths <= most }

func (e *exact) Event(int) Event { return Event{Mode: e.mode()} }

func (*exact) Length(counters uint64) uint64 { return counters }
func (*exact) Variables(Package) string      { return "" }
func (e *exact) Start(Package) string        { return e.start() }

func (*exact) DescribePackage(t *table.Package, counters uint64) { t.Counters = counters }

// What follows is exact's Paths.

func (e *exact) Counter() Counter       { return e }
func (*exact) Enter(f *Function) string { return "" }

func (e *exact) End(f *Function, op pathnum.Op) Code {
	if f.Storage == table.StorageHash {
		return call(e.Names, "$Path", f.hashed(e.Names)+","+f.PathNumber(op))
	}
	return e.Add(e.path(f, op))
}

// Round compares the register with its usual value, and has the counter for that value at a constant address. The increment does
// not wait for the register then, since the processor predicts the jump.
func (e *exact) Round(f *Function, op pathnum.Op, usual uint64) string {
	end := e.End(f, op).Statement
	if !e.inLine() || f.Storage == table.StorageHash {
		return end
	}
	counted := e.Add(CounterOf(e.Names, f.First+usual+op.Inc)).Statement
	return fmt.Sprintf("if %s==%d{%s}else{%s}", f.Register, usual, counted, end)
}

// inLine reports whether counters are incremented as they are, by code in line.
func (e *exact) inLine() bool {
	_, ok := e.adder.(plain)
	return ok
}

func (*exact) DescribeFunction(*Function, *table.Function) {}

// path returns the counter of the path that op counts.
func (e *exact) path(f *Function, op pathnum.Op) string {
	switch {
	case op.Count != pathnum.CountRegister:
		return CounterOf(e.Names, f.First+op.Inc)
	case e.checked:
		return e.Sprintf("%s[$Pad+%d+%s]", e.Counters, f.First, f.PathNumber(op))
	default:
		return e.Sprintf("*$Word(&%s,%s)", CounterOf(e.Names, f.First), f.PathNumber(op))
	}
}
