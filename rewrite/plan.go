package rewrite

import (
	"go/token"
	"slices"

	"github.com/goprofinstr/goprofinstr/ssacfg"
	"github.com/goprofinstr/goprofinstr/ssacfg/mark"
	"github.com/goprofinstr/goprofinstr/ssacfg/pathnum"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// A plan says what code a function needs.
type plan struct {
	fn      *ssacfg.Func
	storage table.Storage
	first   uint64 // counter of path 0 in the package's array
	hash    int    // hash table in the package's
	entries int64  // counter of activations, or -1
	mark    uint64 // what the mark of an activation holds at first
	at      map[*mark.Place]*code
	lowered map[*mark.Condition]bool // conditions that become statements

	stratified bool // path ends are sampled in strata

	frame     bool // the activation has an rt.Frame
	positions []table.Position
	byLine    bool // lines tell the position of activations, unless the frame does
	lineHash  int  // hash table of activations of which it does not

	counted *table.Counted // in place of a frame, if it is not nil

	selectors []table.Selector // of events, as the table has them
	live      []*selector      // those that are not declined
}

// code is what is inserted at one place, in the order of execution.
type code struct {
	ops      []pathnum.Op
	end      bool     // the path has ended, and no other begins
	pause    bool     // the path has ended, another begins later, and nothing can fail between
	position int      // hash table of the position that is reached, or -1
	edges    []uint64 // counters of edges; see table.Counted
	trips    []trip
}

// planner hands out the counters and hash tables of one package.
type planner struct {
	fset      *token.FileSet
	scopes    map[*ssacfg.Func]*scope
	positions map[int]positionHash // hash tables of positions
	counters  uint64
	hashes    int
	without   Without
	abandoned bool // find out what abandoned activations had executed
	sampling  Sampling
	stream    Stream
	selectors []selected // that have numbers
	trips     string     // what variables of loops are called, with a number
	streams   bool       // there are events that are sampled in strata: path ends of functions, or others
}

// estimates reports whether all counts are estimates.
func (pl *planner) estimates() bool { return pl.sampling.On() || pl.stream.Estimates() }

// words returns how many words the counts are: where they are estimates, each has the number of its samples, too.
func (pl *planner) words() uint64 {
	if pl.estimates() {
		return 2 * pl.counters
	}
	return pl.counters
}

// counted returns the length of the array that the counters take. Of what is sampled in strata it has messages only: see table.Package.
func (pl *planner) counted() uint64 {
	if pl.sampling.On() {
		return pl.words()
	}
	return pl.counters
}

func (pl *planner) plan(fn *ssacfg.Func) *plan {
	p := &plan{fn: fn, entries: -1, mark: pl.mark(fn), at: placeOps(fn)}
	if n := fn.Numbering.Values.NumPaths; n <= pl.maxArray() {
		p.storage, p.first = table.StorageArray, pl.counters
		pl.counters += n
	} else {
		p.storage, p.hash = table.StorageHash, pl.newHash()
	}
	p.stratified = pl.stream.On() && (pl.stream.Counted == 0 || p.storage == table.StorageHash)
	pl.streams = pl.streams || p.stratified
	switch {
	case pl.estimates() || p.stratified || !mayBeAbandoned(fn.Graph):
	case pl.abandoned:
		pl.planFrame(p)
	default:
		p.entries = int64(pl.counters)
		pl.counters++
	}
	return p
}

// maxArray returns how many paths a function may have that has a counter for each, of executions or of messages.
func (pl *planner) maxArray() uint64 {
	most := uint64(pathnum.MaxArray)
	if pl.without.has(Arrays) {
		most = 4096
	}
	switch {
	case pl.stream.Estimates() && !pl.stream.InLine():
		return 0
	case pl.stream.On() && !pl.stream.Estimates():
		return min(most, pl.stream.Counted)
	}
	return most
}

// mayBeAbandoned reports whether an activation can end otherwise than by a path.
func mayBeAbandoned(g *ssacfg.Graph) bool {
	return slices.ContainsFunc(g.Blocks, (*ssacfg.Block).Pinned)
}

// placeOps returns the code at each place of fn that counts. A place in a
// block may serve an edge into the block and one out of it.
func placeOps(fn *ssacfg.Func) map[*mark.Place]*code {
	at := make(map[*mark.Place]*code)
	for i, e := range fn.Graph.Edges {
		op := fn.Numbering.Ops[i]
		if op == (pathnum.Op{}) {
			continue
		}
		c := codeAt(at, e.Place)
		if entersBy(e) {
			c.ops = slices.Insert(c.ops, 0, op)
		} else {
			c.ops = append(c.ops, op)
		}
	}
	return at
}

func codeAt(at map[*mark.Place]*code, p *mark.Place) *code {
	c := at[p]
	if c == nil {
		c = &code{position: -1}
		at[p] = c
	}
	return c
}

// entersBy reports whether the place of e is in the block that e leads to. Otherwise
// it is on the edge itself, or in the block that e comes from.
func entersBy(e *ssacfg.Edge) bool { return slices.Contains(e.To.Places, e.Place) }
