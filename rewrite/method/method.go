package method

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/rewrite/internal/emit"
	"github.com/goprofinstr/goprofinstr/ssacfg/pathnum"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// Options choose a way of counting. The zero Options count exactly.
type Options struct {
	Way string // of counting, by name; "" if the other options choose it

	Atomic bool // counts lose nothing under concurrency
	Race   bool // the build is for the race detector

	Sampling Sampling // of paths at ticks
	Stream   Stream   // sampling of paths in strata; with neither all paths are counted

	Checked bool // counters are indexed with bounds checks
}

// A Method is a way of counting what the functions of one package do.
type Method interface {
	// DeclineNosplit returns why functions that are marked go:nosplit are not counted, or "".
	DeclineNosplit() string
	// Complete reports whether all ends of paths are counted, in some functions at least. In those it can be told what
	// activations had executed that were abandoned.
	Complete() bool
	// Paths returns how a function with so many paths is counted, and whether each of them has a counter in the
	// package's array. If not, the function has a hash table. An array should have no more counters than most.
	Paths(paths, most uint64) (p Paths, array bool)
	// Event returns how events of a hash table, other than paths, are counted.
	Event(hash int) Event

	// Length returns the length of the package's array, given how many counters were handed out.
	Length(counters uint64) uint64
	// Variables returns declarations besides those of the array and the hash tables.
	Variables(p Package) string
	// Start returns declarations whose initialisers run before the package is registered.
	Start(p Package) string
	// DescribePackage tells the package's table what its counts are.
	DescribePackage(t *table.Package, counters uint64)
}

// Paths are how the paths of a function are counted.
type Paths interface {
	// Counter returns what adds one to counters of activations and edges. It is nil where not all ends of paths are
	// counted: then these have no counters.
	Counter() Counter
	// Enter returns statements that run first in the function.
	Enter(f *Function) string
	// End returns what counts the end of a path.
	End(f *Function, op pathnum.Op) Code
	// DescribeFunction tells the function's table how its paths are counted.
	DescribeFunction(f *Function, t *table.Function)
}

// A Rounder is Paths that count rounds of loops with less where most of them are the same.
type Rounder interface {
	// Round returns a statement for the end of a path that is counted by register, which has the usual value most of the time.
	Round(f *Function, op pathnum.Op, usual uint64) string
}

// A Counter adds one to counters.
type Counter interface {
	// Add returns what adds one to a counter, which is a variable or a pointer with its star.
	Add(counter string) Code
}

// Code is inserted in one of two forms.
type Code struct {
	Statement  string // without the semicolon behind it
	Expression string // an untyped true
}

// A Function is what is counted of a function, and where.
type Function struct {
	Numbering *pathnum.Numbering
	Storage   table.Storage
	Number    int    // in the package, of those that are counted
	First     uint64 // counter of path 0 in the package's array; with a hash table, that of the next function
	Hash      int    // hash table in the package's
	Register  string // path register
	Brief     bool   // activations end soon after they begin
	Fresh     uint64 // what activation words hold at first
}

// A Package has what the functions of a package were handed out.
type Package struct {
	Counters uint64
	Hashes   int
	Hash     string // address of the first hash table

	Functions []*Function // that are counted, by number
}

// A maker makes a Method for the package with an import path.
type maker func(o Options, n *emit.Names, pkg string) Method

// makers has all ways of counting, by name. Each registers itself in its file.
var makers = make(map[string]maker)

// register adds a way of counting.
func register(name string, m maker) {
	if makers[name] != nil {
		panic("BUG: two ways of counting called " + name)
	}
	makers[name] = m
}

// Names returns the names of all ways of counting.
func Names() []string { return slices.Sorted(maps.Keys(makers)) }

// way returns the name of the way of counting that options choose.
func (o Options) way() string {
	switch {
	case o.Way != "":
		return o.Way
	case o.Sampling.Native:
		return "native"
	case o.Sampling.Copies:
		return "copies"
	case o.Sampling.On():
		return "ticks"
	case o.Stream.inLine():
		return "strata"
	case o.Stream.On():
		return "fed"
	}
	return "exact"
}

// New returns the way of counting that options choose, for the package with an import path.
func New(o Options, n *emit.Names, pkg string) Method {
	m := makers[o.way()]
	if m == nil {
		panic("BUG: no way of counting is called " + o.Way)
	}
	if o.Race {
		return raced{m(o, n, pkg)}
	}
	return m(o, n, pkg)
}

// call returns a call of a function of the runtime, like $exact.Exact. In an expression it is the call of another,
// $exact.CountExact, which returns 0.
func call(n *emit.Names, function, args string) Code {
	name := strings.LastIndexAny(function, "$.") + 1
	counting := function[:name] + "Count" + function[name:]
	return Code{n.Sprintf(function+"(%s)", args), n.Sprintf(counting+"(%s)==0", args)}
}

// CounterOf returns a counter of the package.
func CounterOf(n *emit.Names, k uint64) string {
	return n.Sprintf("%s[$Pad+%d]", n.Counters, k)
}

// hashed returns the address of the function's hash table.
func (f *Function) hashed(n *emit.Names) string {
	return fmt.Sprintf("&%s[%d]", n.Hashes, f.Hash)
}

// PathNumber returns the number of the path that op counts.
func (f *Function) PathNumber(op pathnum.Op) string {
	if op.Count == pathnum.CountRegister {
		return f.Register + Signed(op.Inc, "+", "-")
	}
	return fmt.Sprint(op.Inc)
}

// Signed returns v, which is modulo 2^64, after the operator that keeps the constant small.
func Signed(v uint64, plus, minus string) string {
	if int64(v) < 0 {
		return fmt.Sprintf("%s%d", minus, -v)
	}
	return fmt.Sprintf("%s%d", plus, v)
}
