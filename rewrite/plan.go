package rewrite

import (
	"sort"

	"github.com/goprofinstr/goprofinstr/ssacfg"
	"github.com/goprofinstr/goprofinstr/ssacfg/mark"
	"github.com/goprofinstr/goprofinstr/ssacfg/pathnum"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// maxArray is the number of paths up to which a function has one counter for each.
// Ball & Larus switch to a hash table at about this number (BL 5), because the
// array would cost memory for paths that are never taken: here 32 KB.
const maxArray = 4096

// A plan says what code a function needs.
type plan struct {
	fn      *ssacfg.Func
	storage table.Storage
	first   uint64 // counter of path 0 in the package's array
	hash    int    // hash table in the package's
	entries int64  // counter of activations, or -1
	at      map[*mark.Place][]pathnum.Op
}

// planner hands out the counters and hash tables of one package.
type planner struct {
	counters uint64
	hashes   int
}

func (pl *planner) plan(fn *ssacfg.Func) *plan {
	p := &plan{fn: fn, entries: -1, at: placeOps(fn)}
	if n := fn.Numbering.Values.NumPaths; n <= maxArray {
		p.storage, p.first = table.StorageArray, pl.counters
		pl.counters += n
	} else {
		p.storage, p.hash = table.StorageHash, pl.hashes
		pl.hashes++
	}
	if mayBeAbandoned(fn.Graph) {
		p.entries = int64(pl.counters)
		pl.counters++
	}
	return p
}

// mayBeAbandoned reports whether an activation can end otherwise than by a path; then its
// entries have to be counted, too.
func mayBeAbandoned(g *ssacfg.Graph) bool {
	for _, b := range g.Blocks {
		if b.Pinned {
			return true
		}
	}
	return false
}

// placeOps returns the code at each place of fn in the order of execution. A place in a
// block may serve an edge into the block and one out of it.
func placeOps(fn *ssacfg.Func) map[*mark.Place][]pathnum.Op {
	type use struct {
		rank int
		op   pathnum.Op
	}
	uses := make(map[*mark.Place][]use)
	for i, e := range fn.Graph.Edges {
		op := fn.Numbering.Ops[i]
		if op == (pathnum.Op{}) {
			continue
		}
		rank := 1 // on the edge itself, or on an edge out of the place's block
		if within(e.To, e.Place) {
			rank = 0
		}
		uses[e.Place] = append(uses[e.Place], use{rank, op})
	}
	at := make(map[*mark.Place][]pathnum.Op, len(uses))
	for place, list := range uses {
		sort.SliceStable(list, func(i, j int) bool { return list[i].rank < list[j].rank })
		for _, u := range list {
			at[place] = append(at[place], u.op)
		}
	}
	return at
}

func within(b *ssacfg.Block, p *mark.Place) bool {
	for _, x := range b.Places {
		if x == p {
			return true
		}
	}
	return false
}
