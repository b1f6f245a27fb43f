// Package table defines the path tables: what a path number of an
// instrumented function means.
//
// The rewriter makes one [Package] per instrumented package and links its
// encoded form into the program. The program copies the table into the data
// of every run. The exporter decodes it and turns path counts back into
// edges, blocks and source lines. Nothing here knows how the graph was found
// (package ssacfg) or what is done with the counts (package export).
package table

import "github.com/goprofinstr/goprofinstr/ssacfg/pathnum"

// Package is the path table of one instrumented package.
//
// If its Counts are Ticks or Strata, Counters is twice the number of counters that its functions speak of. Counters 2i and
// 2i+1 are the estimate and the samples of what counter i would be. A run that is counted by Ticks has them so. One that
// is counted in Strata has half of Counters: the messages of counter i. If only some functions are counted in Strata,
// these have hash tables, and the package's counters are exact.
type Package struct {
	Path      string     // import path
	Counters  uint64     // length of the package's counter array
	Counts    Method     `json:"Sampled"` // of paths, in functions that do not say otherwise; see there
	Functions []Function // in source order, declined ones included

	// Events is how Selectors are counted, if not as Counts says: Strata, or Exact, which says nothing.
	Events Method `json:"Stratified,omitempty"`

	// Unknown tells that each function has a counter more than it has paths, behind theirs: of paths that were seen and are not
	// known. In a hash table they have the number of a path behind the last.
	Unknown bool `json:",omitempty"`

	Main    bool     `json:",omitempty"` // it is a package main
	Sized   bool     `json:",omitempty"` // its statements have their Count, which may be 0 of all
	Callees []Callee `json:",omitempty"` // what its functions call; see Function.Calls

	// Sources are the files whose functions are in Functions, and those without any, by name. A table of an earlier
	// goprofinstr has none.
	Sources []Source `json:",omitempty"`
	// Covered tells that Sources have their Extents, as the release of Go that has built the program divides them. Test files
	// have none.
	Covered bool `json:",omitempty"`
}

// Untyped begins the reason why functions were declined of a package that does not type-check, and so does not compile.
const Untyped = "does not type-check"

// ImportsC begins the reason why functions were declined that are in files for cgo, which may not compile.
const ImportsC = `imports "C"`

// Function is one function declaration or function literal.
type Function struct {
	// As the Go runtime prints it, with the import path: "example.com/m/p.(*T).F", "….F.func1". Literals in code that the compiler
	// drops have no such name: "….F.func1-dead".
	Name     string
	File     string // relative to the module root with forward slashes, or import path plus base name outside the main module
	Line     int    // of the func keyword
	EndLine  int    // of the closing brace
	Body     Block  // from the opening brace to behind the closing one
	Declined string // why the function was left as it was; "" if it is instrumented

	// The rest is empty for declined functions.

	Blocks []Block // indexed by block id
	Edges  []Edge  // indexed by edge id
	Entry  int     // id of the entry block
	Exit   int     // id of the exit block, which is synthetic and has no source

	Statements []Statement // where runs of statements start, by position

	Values pathnum.Values // numbering of the paths; its edges are Edges

	// Positions are where an activation can be abandoned: by a panic, Goexit, or the end of the program. nil
	// if the states of abandoned activations are not known. The state of one that was is counted in the hash table
	// of its position, as path r, the path register.
	//
	// If ByLine, what is counted is r and the line, as abandon.LineKey joins them. The position is then that with
	// the line, if there is one only, or else that of the hash table. Activations in positions without a hash
	// table are counted in LineHash.
	//
	// If there are Entries, too, there is one position only, without a hash table. Offset is the number of the one path to it.
	// Activations that have ended no path that starts at entry were abandoned there.
	Positions []Position
	ByLine    bool
	LineHash  int

	// Counted, if not nil, is how else it is known what abandoned activations had executed. Then no Position has a hash table.
	Counted *Counted `json:",omitempty"`

	// Cut is the hash table of activations that may have been abandoned, by line as abandon.LineKey has it, plus 1. It is 0
	// if that is not known. It says too much rather than too little: some have come to the end of their last path.
	Cut int `json:",omitempty"`

	// Ends are the ends of paths whose marker has the path register, by what the marker stands for: the path is that and the
	// register. A program without native probes has none.
	Ends []End `json:",omitempty"`
	// Facts has what is known of conditions in the block that an edge leaves and then on the edge, in order; by edge id. A
	// path on which a condition is found to be other than it is known to be is infeasible. nil if that excludes no path.
	Facts [][]Fact `json:",omitempty"`

	Calls     []Call     `json:",omitempty"` // of functions that the source names
	Selectors []Selector `json:",omitempty"` // of other events, if these are counted

	Storage Storage
	First   uint64 // StorageArray: the counter of path p is counter First+p of the package
	Hash    int    // StorageHash: index of the function's hash table in the package
	Entries int64  // counter of activations, or -1: then every activation ends a path that starts at entry, or is at a position
	// Counts is how the function's paths are counted, if not as the package says: Strata, or Exact, which says nothing.
	Counts Method `json:"Stratified,omitempty"`

	// Pairs are those of paths that follow each other; nil if they are not counted, or no path follows another.
	Pairs *Pairs `json:",omitempty"`

	Merged int // edges that the source cannot tell apart, merged into another before numbering
}

// Storage tells where the counts of a function's paths are kept.
type Storage string

const (
	StorageArray Storage = "array" // one counter for each path
	StorageHash  Storage = "hash"  // a hash table from path number to count, for functions with many paths
)

// Block is a basic block of the numbered graph. Lines and columns are 1-based
// and count bytes, as in package go/token; all are 0 for a block without source.
type Block struct {
	Line, Col, EndLine, EndCol int
}

// Statement is the start of a run of statements of one block. It is behind an opening brace or the colon of a clause, or a
// statement behind one that branches. It may also be an else, which counts from the closing brace before it on. Statements that
// follow up to the next start are in the same block, unless a function literal holds them.
type Statement struct {
	Line, Col int
	Block     int // id, or -1 if control never comes here
	Index     int // how many others of its block are executed before it

	// Count is how many statements Go's coverage says there are in the run, 0 in one that it has as a part of another.
	Count int `json:"N,omitempty"`
}

// Position is a position in a function at which activations are abandoned.
type Position struct {
	Hash    int     // hash table in the package; -1 if it has none
	Lines   []Lines // of the code that can fail there, if the function is ByLine
	Block   int     // id of the block that had been reached
	Reached int     // how many of the block's statement runs had been reached
	Offset  uint64  // modulo 2^64: r + Offset is the number of a path that begins with what was executed, up to the block
}

// End is an edge that a path may end with.
type End struct {
	Marker uint64 // the path when the path register is 0
	Edge   int
}

// EndsOf returns the edges that paths may end with at a marker.
func (f *Function) EndsOf(marker uint64) (edges []int) {
	for _, e := range f.Ends {
		if e.Marker == marker && e.Edge >= 0 && e.Edge < len(f.Edges) {
			edges = append(edges, e.Edge)
		}
	}
	return edges
}

// Lines are the lines from First to Last.
type Lines struct{ First, Last int }

// Edge is an edge of the numbered graph.
type Edge struct {
	From, To  int // block ids
	Kind      EdgeKind
	Line, Col int  // of the branch that decides, or 0
	Back      bool // a path that takes this edge ends with it, and the next one starts at To
}

// EdgeKind says what makes control take an edge.
type EdgeKind string

// The kinds of edges.
const (
	Jump          EdgeKind = "jump"
	IfThen        EdgeKind = "if.then"
	IfElse        EdgeKind = "if.else"
	CondTrue      EdgeKind = "cond.true"  // an operand of && or ||, or the condition of a for statement, was true
	CondFalse     EdgeKind = "cond.false" // … was false
	SwitchCase    EdgeKind = "switch.case"
	SwitchDefault EdgeKind = "switch.default"
	SelectCase    EdgeKind = "select.case"
	RangeNext     EdgeKind = "range.next"
	RangeDone     EdgeKind = "range.done"
	LoopBack      EdgeKind = "loop.back"
	CallPanic     EdgeKind = "call.panic" // a call of the predeclared function panic
	Return        EdgeKind = "return"
)

// PositionAt returns the position of an activation that was abandoned on a line. At is what its frame said, nil if nothing.
// The result is nil if that cannot be. If nothing on the line can fail, the position is the last before it.
func (f *Function) PositionAt(line int, at *Position) *Position {
	var found, before *Position
	last := 0
	several := false
	for i := range f.Positions {
		p := &f.Positions[i]
		for _, l := range p.Lines {
			switch {
			case l.First <= line && line <= l.Last:
				several = several || found != nil && found != p
				found = p
			case l.Last < line && l.Last > last:
				before, last = p, l.Last
			}
		}
	}
	switch {
	case several:
		return at
	case found != nil:
		return found
	case at != nil:
		return at
	}
	return before
}
