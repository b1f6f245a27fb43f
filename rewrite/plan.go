package rewrite

import (
	"go/token"
	"path/filepath"
	"slices"

	"github.com/goprofinstr/goprofinstr/rewrite/method"
	"github.com/goprofinstr/goprofinstr/rt/contexts"
	"github.com/goprofinstr/goprofinstr/ssacfg"
	"github.com/goprofinstr/goprofinstr/ssacfg/mark"
	"github.com/goprofinstr/goprofinstr/ssacfg/pathnum"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// A plan says what code a function needs.
type plan struct {
	method.Function
	fn      *ssacfg.Func
	paths   method.Paths
	entries int64 // counter of activations, or -1
	at      map[*mark.Place]*code
	lowered map[*mark.Condition]bool // conditions that become statements

	frame     bool // the activation has an abandon.Frame
	positions []table.Position
	byLine    bool // lines tell the position of activations, unless the frame does
	lineHash  int  // hash table of activations of which it does not

	counted *table.Counted // in place of a frame, if it is not nil
	cut     int            // as in table.Function

	pairs method.Pairs // of paths, if they are counted

	selectors []table.Selector // of events, as the table has them
	live      []*planned       // those that are not declined
}

// code is what is inserted at one place, in the order of execution.
type code struct {
	ops      []operation
	end      bool     // the path has ended, and no other begins
	pause    bool     // the path has ended, another begins later, and nothing can fail between
	position int      // hash table of the position that is reached, or -1
	edges    []uint64 // counters of edges; see table.Counted
	trips    []trip
}

// An operation is what the numbering has of an edge.
type operation struct {
	pathnum.Op
	round bool         // whether a round of a loop ends, and another begins
	usual uint64       // what the path register is then most of the time
	next  pathnum.Next // if pairs of paths are counted
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
	cuts      bool // find out which functions had any
	entries   bool // count the activations of every function
	pairs     bool // count pairs of paths
	caches    int  // of pairs
	method    method.Method
	selectors []selected         // that have numbers
	functions []*method.Function // that have plans
	trips     string             // what variables of loops are called, with a number
}

func (pl *planner) plan(fn *ssacfg.Func) *plan {
	p := &plan{fn: fn, entries: -1, at: pl.placeOps(fn)}
	p.Numbering, p.Brief, p.Fresh = fn.Numbering, fn.Brief, pl.fresh(fn)
	p.Number, p.First = len(pl.functions), pl.counters
	pl.functions = append(pl.functions, &p.Function)
	n, array := fn.Numbering.Values.NumPaths, false
	if p.paths, array = pl.method.Paths(n, pl.maxArray()); array {
		p.Storage = table.StorageArray
		pl.counters += n
		if s, ok := pl.method.(method.Sparer); ok {
			pl.counters += s.Spare()
		}
	} else {
		p.Storage, p.Hash = table.StorageHash, pl.newHash()
	}
	if pl.pairs {
		pl.planPairs(p)
	}
	switch {
	case pl.cuts:
		pl.planCut(p)
	case p.paths.Counter() == nil || !pl.entries && !mayBeAbandoned(fn.Graph):
	case pl.abandoned:
		pl.planFrame(p)
	default:
		p.entries = int64(pl.counters)
		pl.counters++
	}
	return p
}

// planPairs plans the counters of pairs of paths.
func (pl *planner) planPairs(p *plan) {
	v, counter := &p.Numbering.Values, p.paths.Counter()
	if counter == nil {
		return
	}
	p.pairs.Function, p.pairs.Counter = &p.Function, counter
	pairs, counters := table.NewPairs(v, p.Numbering.Ends(), table.MostPairs)
	switch {
	case !pairs.On():
	case pairs.Storage == table.StorageArray:
		pairs.First = pl.counters
		pl.counters += counters
	case isNosplit(p.fn):
		pairs = &table.Pairs{Declined: "the function is marked go:nosplit, and pairs of many paths take calls"}
	default:
		pairs.Hash, p.pairs.Cache = pl.newHash(), pl.caches
		pl.caches++
	}
	p.pairs.Pairs = pairs
}

// planCut has activations noted that may have been abandoned, by their program counters, which costs nothing until one is.
// A goroutine that runs when the program ends can be in any function. What ranges over a function executes code in others.
func (pl *planner) planCut(p *plan) {
	scope := pl.scopes[p.fn]
	if scope == nil || p.fn.RangesFunc {
		return
	}
	hash := pl.newHash()
	pl.positions[hash] = positionHash{scope: scope, byLine: true, counted: true}
	p.cut = hash + 1
}

// fresh returns what activation words hold at first.
func (pl *planner) fresh(fn *ssacfg.Func) uint64 {
	file := filepath.Base(pl.fset.File(fn.File.Pos()).Name())
	return contexts.Fresh(file, uint64(pl.fset.PositionFor(fn.Node.Pos(), false).Line))
}

// maxArray returns how many counters a function may have in the array.
func (pl *planner) maxArray() uint64 {
	if pl.without.has(Arrays) {
		return 4096
	}
	return pathnum.MaxArray
}

// mayBeAbandoned reports whether an activation can end otherwise than by a path.
func mayBeAbandoned(g *ssacfg.Graph) bool {
	return slices.ContainsFunc(g.Blocks, (*ssacfg.Block).Pinned)
}

// placeOps returns the code at each place of fn that counts. A place in a
// block may serve an edge into the block and one out of it.
func (pl *planner) placeOps(fn *ssacfg.Func) map[*mark.Place]*code {
	at := make(map[*mark.Place]*code)
	var rounds map[int]uint64
	if !pl.without.has(Rounds) {
		rounds = fn.Numbering.Rounds()
	}
	var next []pathnum.Next
	if pl.pairs {
		next = fn.Numbering.Next()
	}
	for i, e := range fn.Graph.Edges {
		op := operation{Op: fn.Numbering.Ops[i]}
		if op.Op == (pathnum.Op{}) {
			continue
		}
		op.usual, op.round = rounds[i]
		if pl.pairs {
			op.next = next[i]
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
// it is on the edge itself, or in the block that e comes from. So it is in a loop of one
// block: control passes the place before the post statement, and then takes e.
func entersBy(e *ssacfg.Edge) bool { return e.From != e.To && slices.Contains(e.To.Places, e.Place) }
