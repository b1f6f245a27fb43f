package pathnum

import (
	"fmt"
	"math"
)

// DefaultLimit is the bound on the paths of a block when [New] is given none. The
// paths of 2^24 starts then fit 64 bits, and no path of a function with
// two-way branches only is cut before its fortieth branch.
const DefaultLimit = 1 << 40

// MaxArray is the number of paths up to which a function should have one counter for each.
// Ball & Larus switch to a hash table at some thousands (BL 5), because the array would cost memory for paths that are never
// taken. Today such paths cost address space and holes in a file only: the counters of a megabyte are pages that nobody
// touches. A hash table costs ten times what an array does each time a path ends.
const MaxArray = 1 << 17

// Numbering is a numbering of the paths of a graph with the code that
// computes the numbers at run time. Treat it as read-only.
type Numbering struct {
	Graph *Graph

	// Cut tells for each edge that a path that takes it ends with it, and
	// that a new path starts at its target. Cut edges are the back edges of
	// a depth-first search, and truncated edges. A cut edge never leads to
	// Exit.
	Cut []bool

	Values Values

	// Chord tells for each edge that it is neither in the spanning tree nor Fixed, and Inc
	// is its increment, 0 for the other edges. For a cut edge v→w they are those
	// of the dummy edge v→EXIT. IncStart is the increment of each
	// dummy edge of Values.Starts. All is modulo 2^64.
	Chord    []bool
	Inc      []uint64
	IncStart []uint64

	// Potential is φ of each block (BL 3.3), modulo 2^64. The sum of Val along a path from its start to block b is that of
	// Inc plus Potential[b]. If r is kept (Graph.KeepRegister), r + Potential[b] is therefore the number of a path. That
	// path leads to b in the same way, and goes on by edges of value 0.
	Potential []uint64

	// Ops is the code to put on each edge. The code of the two dummy edges of a cut
	// edge is joined in its Op. Fixed edges have none.
	Ops []Op

	// NeedInit tells that r must be 0 at function entry. Otherwise
	// every use of r comes after a Set.
	NeedInit bool
}

// New numbers g's paths and places the code that counts them. limit bounds the
// paths from each block to the end of a path; where there would be more,
// edges are cut. A limit of 0 is DefaultLimit, which may be exceeded by a factor of 2^12 where edges
// cannot be cut.
//
// The error is an [*InseparableError], [*FixedBackEdgeError],
// [*UncountableError] or [*TooManyPathsError], or says what is wrong with g.
// The time is that of sorting the edges.
func New(g *Graph, limit uint64) (*Numbering, error) {
	most := limit
	if limit == 0 {
		limit, most = DefaultLimit, DefaultLimit<<12
	}
	if err := checkGraph(g); err != nil {
		return nil, err
	}
	cut, postorder, err := backEdges(g)
	if err != nil {
		return nil, err
	}
	values, err := number(g, postorder, cut, limit, most) // cuts more edges
	if err != nil {
		return nil, err
	}
	d := newDAG(g, postorder, cut, values)
	tree, err := spanningTree(d)
	if err != nil {
		return nil, err
	}
	inc, phi := increments(d, tree)
	if err := separate(d, tree, inc); err != nil {
		return nil, err
	}
	ops, needInit, err := place(d, g, tree, inc)
	if err != nil {
		return nil, err
	}

	n := &Numbering{
		Graph:     g,
		Cut:       cut,
		Values:    values,
		Chord:     make([]bool, len(g.Edges)),
		Inc:       inc[:len(g.Edges)],
		IncStart:  inc[d.firstStart:],
		Potential: phi[:g.Blocks],
		Ops:       ops,
		NeedInit:  needInit,
	}
	for e := range g.Edges {
		n.Chord[e] = !tree[e]
	}
	return n, nil
}

// UsesRegister tells whether any count reads r. If none does, no Op changes r
// either and NeedInit is false, unless r is kept for others to read (Graph.KeepRegister).
func (n *Numbering) UsesRegister() bool {
	for _, op := range n.Ops {
		if op.Count == CountRegister {
			return true
		}
	}
	return false
}

// checkGraph returns an error if g is not as Graph demands. Whether all
// blocks can be reached is left to backEdges.
func checkGraph(g *Graph) error {
	isBlock := func(v int) bool { return 0 <= v && v < g.Blocks }
	if !isBlock(g.Entry) || !isBlock(g.Exit) {
		return fmt.Errorf("entry %d or exit %d is not one of the %d blocks", g.Entry, g.Exit, g.Blocks)
	}
	if g.Entry == g.Exit {
		return fmt.Errorf("block %d is both entry and exit: there is no edge to count on", g.Entry)
	}
	if g.Pinned != nil && len(g.Pinned) != g.Blocks {
		return fmt.Errorf("Pinned has %d elements for %d blocks", len(g.Pinned), g.Blocks)
	}
	hasOut := make([]bool, g.Blocks)
	for i, e := range g.Edges {
		if !isBlock(e.From) || !isBlock(e.To) {
			return fmt.Errorf("edge %d, %d→%d: no such block", i, e.From, e.To)
		}
		if !(e.Weight >= 0) || math.IsInf(e.Weight, 1) {
			return fmt.Errorf("edge %d, %d→%d: weight %v is negative or not a number", i, e.From, e.To, e.Weight)
		}
		hasOut[e.From] = true
	}
	for v, has := range hasOut {
		switch {
		case has && v == g.Exit:
			return fmt.Errorf("block %d is the exit and has an out edge", v)
		case !has && v != g.Exit:
			return fmt.Errorf("block %d has no out edge and is not the exit", v)
		}
	}
	return nil
}

// groupBy returns for each of n vertices the indices i < len(m) with
// vertex(i) equal to it, in increasing order.
func groupBy(n, m int, vertex func(i int) int) [][]int {
	size := make([]int, n)
	for i := range m {
		size[vertex(i)]++
	}
	all := make([]int, m) // one allocation for all groups
	groups := make([][]int, n)
	for v, k := range size {
		groups[v], all = all[:0:k], all[k:]
	}
	for i := range m {
		v := vertex(i)
		groups[v] = append(groups[v], i)
	}
	return groups
}
