// Regeneration: BL 3.5, on the graph with dummy edges of BL 4.

package pathnum

import (
	"cmp"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"sort"
)

// A Decoder turns path numbers into paths and back. It needs the edges, which of
// them are cut and the Values, as a path table keeps them, and no Numbering.
type Decoder struct {
	edges []Edge
	cut   []bool
	exit  int

	numPaths uint64
	val      []uint64
	starts   []Start // by increasing Val; the first is function entry
	out      [][]int // out edges of each block by increasing Val
}

// Path is an acyclic path of a graph.
type Path struct {
	Start int   // the first block
	Loop  bool  // the path starts behind a cut edge, not at function entry
	Edges []int // in order; if the last one is a cut edge the path ends with it, otherwise at the exit
}

// NewDecoder returns a Decoder for the graph with the given blocks and edges, of
// which only From and To are used. It returns an error unless v numbers its paths
// from 0 without a gap, so that the table need not be trusted.
func NewDecoder(blocks, entry, exit int, edges []Edge, cut []bool, v Values) (*Decoder, error) {
	isBlock := func(b int) bool { return 0 <= b && b < blocks }
	if !isBlock(entry) || !isBlock(exit) {
		return nil, fmt.Errorf("entry %d or exit %d is not one of the %d blocks", entry, exit, blocks)
	}
	if len(cut) != len(edges) || len(v.Edge) != len(edges) {
		return nil, fmt.Errorf("%d edges, but %d cut marks and %d values", len(edges), len(cut), len(v.Edge))
	}
	for i, e := range edges {
		if !isBlock(e.From) || !isBlock(e.To) {
			return nil, fmt.Errorf("edge %d, %d→%d: no such block", i, e.From, e.To)
		}
	}
	for _, s := range v.Starts {
		if !isBlock(s.Block) {
			return nil, fmt.Errorf("start %d: no such block", s.Block)
		}
	}

	d := &Decoder{
		edges:    edges,
		cut:      cut,
		exit:     exit,
		numPaths: v.NumPaths,
		val:      v.Edge,
		starts:   append([]Start{{Block: entry, Val: 0}}, v.Starts...),
		out:      groupBy(blocks, len(edges), func(e int) int { return edges[e].From }),
	}
	for _, out := range d.out {
		slices.SortFunc(out, func(a, b int) int { return cmp.Compare(d.val[a], d.val[b]) })
	}
	order, err := topological(blocks, edges, cut)
	if err != nil {
		return nil, err
	}
	if err := d.checkStarts(blocks); err != nil {
		return nil, err
	}
	if err := d.checkValues(order); err != nil {
		return nil, err
	}
	return d, nil
}

// checkStarts returns an error unless the starts are the targets of the
// cut edges, in order.
func (d *Decoder) checkStarts(blocks int) error {
	isTarget := make([]bool, blocks)
	for i, e := range d.edges {
		if d.cut[i] {
			isTarget[e.To] = true
		}
	}
	starts := d.starts[1:]
	for w, is := range isTarget {
		if !is {
			continue
		}
		if len(starts) == 0 || starts[0].Block != w {
			return fmt.Errorf("no start, or not in order, for block %d, where a cut edge leads", w)
		}
		starts = starts[1:]
	}
	if len(starts) > 0 {
		return fmt.Errorf("start at block %d, where no cut edge leads", starts[0].Block)
	}
	return nil
}

// checkValues returns an error unless the numbers of the paths from each block tile 0 to NumPaths(block)-1. The numbers through
// an edge e must begin with Val(e), where those through the edge before end. order is a topological order of the blocks.
func (d *Decoder) checkValues(order []int) error {
	numPaths := make([]uint64, len(order))
	for _, v := range slices.Backward(order) {
		if v == d.exit {
			if len(d.out[v]) > 0 {
				return fmt.Errorf("block %d is the exit and has an out edge", v)
			}
			numPaths[v] = 1
			continue
		}
		if len(d.out[v]) == 0 {
			return fmt.Errorf("block %d has no out edge and is not the exit", v)
		}
		for _, e := range d.out[v] {
			through := uint64(1)
			if !d.cut[e] {
				through = numPaths[d.edges[e].To]
			}
			if err := tile(&numPaths[v], d.val[e], through); err != nil {
				return fmt.Errorf("edge %d: %w", e, err)
			}
		}
	}
	var total uint64
	for _, s := range d.starts {
		if err := tile(&total, s.Val, numPaths[s.Block]); err != nil {
			return fmt.Errorf("start at block %d: %w", s.Block, err)
		}
	}
	if total != d.numPaths {
		return fmt.Errorf("%d paths, want %d", d.numPaths, total)
	}
	return nil
}

// tile adds n numbers beginning with val to the numbers 0 to *end-1.
func tile(end *uint64, val, n uint64) error {
	if val != *end {
		return fmt.Errorf("Val is %d, want %d", val, *end)
	}
	var carry uint64
	if *end, carry = bits.Add64(*end, n, 0); carry != 0 {
		return errors.New("more paths than 64 bits can number")
	}
	return nil
}

// topological returns the blocks in an order in which every edge that is
// not cut leads to a later block.
func topological(blocks int, edges []Edge, cut []bool) ([]int, error) {
	out := groupBy(blocks, len(edges), func(e int) int { return edges[e].From })
	waits := make([]int, blocks) // for so many edges
	for i, e := range edges {
		if !cut[i] {
			waits[e.To]++
		}
	}
	order := make([]int, 0, blocks)
	for v, n := range waits {
		if n == 0 {
			order = append(order, v)
		}
	}
	for i := 0; i < len(order); i++ {
		for _, e := range out[order[i]] {
			if cut[e] {
				continue
			}
			w := edges[e].To
			if waits[w]--; waits[w] == 0 {
				order = append(order, w)
			}
		}
	}
	if len(order) < blocks {
		return nil, errors.New("a cycle of edges that are not cut")
	}
	return order, nil
}

// NumPaths returns the number of paths; they are numbered from 0.
func (d *Decoder) NumPaths() uint64 { return d.numPaths }

// Path returns the path with the number id.
func (d *Decoder) Path(id uint64) (Path, error) {
	if id >= d.numPaths {
		return Path{}, fmt.Errorf("no path %d: there are %d", id, d.numPaths)
	}
	rest := id
	i := largest(len(d.starts), rest, func(i int) uint64 { return d.starts[i].Val })
	p := Path{Start: d.starts[i].Block, Loop: i > 0}
	rest -= d.starts[i].Val
	for v := p.Start; v != d.exit; {
		out := d.out[v]
		e := out[largest(len(out), rest, func(i int) uint64 { return d.val[out[i]] })]
		rest -= d.val[e]
		p.Edges = append(p.Edges, e)
		if d.cut[e] {
			break
		}
		v = d.edges[e].To
	}
	return p, nil
}

// Prefix returns the part of path id that leads to a block. The id may be that of any path through the block, for
// example the one that [Numbering.Potential] gives.
func (d *Decoder) Prefix(id uint64, block int) (Path, error) {
	p, err := d.Path(id)
	if err != nil {
		return Path{}, err
	}
	v := p.Start
	for i, e := range p.Edges {
		if v == block {
			p.Edges = p.Edges[:i]
			return p, nil
		}
		v = d.edges[e].To
	}
	return Path{}, fmt.Errorf("path %d does not lead through block %d", id, block)
}

// largest returns the largest i < n with val(i) ≤ rest. val increases from 0.
func largest(n int, rest uint64, val func(i int) uint64) int {
	return sort.Search(n, func(i int) bool { return val(i) > rest }) - 1
}

// Number returns the number of p. It is the inverse of [Decoder.Path].
func (d *Decoder) Number(p Path) (uint64, error) {
	start := slices.IndexFunc(d.starts, func(s Start) bool { return s.Block == p.Start })
	if p.Loop {
		start = 1 + slices.IndexFunc(d.starts[1:], func(s Start) bool { return s.Block == p.Start })
	}
	if start < 0 || (start > 0) != p.Loop {
		return 0, fmt.Errorf("no path starts at block %d (loop: %v)", p.Start, p.Loop)
	}
	id, v, ended := d.starts[start].Val, p.Start, false
	for _, e := range p.Edges {
		if e < 0 || e >= len(d.edges) || ended || d.edges[e].From != v {
			return 0, fmt.Errorf("edge %d does not continue a path at block %d", e, v)
		}
		id += d.val[e]
		v, ended = d.edges[e].To, d.cut[e]
	}
	if !ended && v != d.exit {
		return 0, fmt.Errorf("path ends at block %d, which is not the exit", v)
	}
	return id, nil
}
