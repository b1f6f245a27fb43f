package table

import (
	"encoding/binary"
	"maps"
	"slices"

	"github.com/goprofinstr/goprofinstr/ssacfg/internal/partial"
)

// Counted says how to know what abandoned activations had executed, in a function without an abandon.Frame. A hash table
// counts how many were abandoned on each line, as LineKey has it with register 0, and some edges have counters. The
// positions have no hash tables and no offsets; see package partial for how it follows.
type Counted struct {
	Hash   int     // hash table in the package
	Edges  []int   // ids of edges with a counter; -1 is the entry of the function
	First  uint64  // counter of the first of them; the others follow
	Others []Lines // where an activation may be that is on no path: it has not begun, or has ended its last one
}

// A PartialGraph is the graph of what abandoned activations execute.
type PartialGraph struct {
	partial.Graph
	Edge   []int       // for each edge of the function its edge here, or -1
	Entry  int         // the edge to the entry block
	Starts map[int]int // the edge from Outside to each loop header, by block
	Sets   []LineSet
	Line   map[int]int // index of each line's set
}

// A LineSet is a set of positions that share lines.
type LineSet struct {
	Positions []int // indices
	Edges     []int // from the block of each to the set's vertex
	Known     int   // from the vertex to Outside
}

// Partial returns the graph of a function that has Counted.
func (f *Function) Partial() *PartialGraph {
	g := &PartialGraph{Edge: make([]int, len(f.Edges)), Starts: make(map[int]int), Line: make(map[int]int)}
	within := f.beforePositions()
	vertex := func(block int) int { return 1 + block }
	g.Vertices = 1 + len(f.Blocks)
	g.Entry = g.add(partial.Edge{From: partial.Outside, To: vertex(f.Entry)})
	for i, e := range f.Edges {
		g.Edge[i] = -1
		if _, ok := g.Starts[e.To]; e.Back && within[e.To] && !ok {
			g.Starts[e.To] = g.add(partial.Edge{From: partial.Outside, To: vertex(e.To), Known: true})
		}
		if !e.Back && within[e.To] {
			g.Edge[i] = g.add(partial.Edge{From: vertex(e.From), To: vertex(e.To)})
		}
	}
	lines := f.linePositions()
	sets := make(map[string]int) // by their positions
	for _, line := range slices.Sorted(maps.Keys(lines)) {
		of := lines[line]
		key := setKey(of)
		set, ok := sets[key]
		if !ok {
			set = len(g.Sets)
			sets[key] = set
			g.Sets = append(g.Sets, f.addSet(g, of, vertex))
		}
		g.Line[line] = set
	}
	return g
}

// setKey returns a string that is the same for the same positions only.
func setKey(positions []int) string {
	var key []byte
	for _, p := range positions {
		key = binary.AppendVarint(key, int64(p))
	}
	return string(key)
}

func (g *PartialGraph) add(e partial.Edge) int {
	g.Edges = append(g.Edges, e)
	return len(g.Edges) - 1
}

// other stands for the Others in place of the index of a position.
const other = -1

// addSet adds the vertex of a set and its edges.
func (f *Function) addSet(g *PartialGraph, positions []int, vertex func(block int) int) LineSet {
	s := LineSet{Positions: positions}
	v := g.Vertices
	g.Vertices++
	for _, i := range positions {
		from := partial.Outside
		if i != other {
			from = vertex(f.Positions[i].Block)
		}
		s.Edges = append(s.Edges, g.add(partial.Edge{From: from, To: v, Fixed: true}))
	}
	s.Known = g.add(partial.Edge{From: v, To: partial.Outside, Known: true})
	return s
}

// beforePositions tells for each block whether a path leads through it to a position.
func (f *Function) beforePositions() []bool {
	within := make([]bool, len(f.Blocks))
	from := make([][]int, len(f.Blocks)) // the blocks from which edges of paths lead to each
	for _, e := range f.Edges {
		if !e.Back {
			from[e.To] = append(from[e.To], e.From)
		}
	}
	var work []int
	reach := func(block int) {
		if !within[block] {
			within[block] = true
			work = append(work, block)
		}
	}
	for _, p := range f.Positions {
		reach(p.Block)
	}
	for len(work) > 0 {
		block := work[len(work)-1]
		work = work[:len(work)-1]
		for _, b := range from[block] {
			reach(b)
		}
	}
	return within
}

// linePositions returns the positions on each line that has any, increasing, and among them other.
func (f *Function) linePositions() map[int][]int {
	lines := make(map[int][]int)
	add := func(list []Lines, position int) {
		for _, l := range list {
			for line := l.First; line <= l.Last; line++ {
				of, ok := lines[line]
				isLast := ok && of[len(of)-1] == position // each is added to all of its lines before the next one
				if (ok || position != other) && !isLast {
					lines[line] = append(of, position)
				}
			}
		}
	}
	for i, p := range f.Positions {
		add(p.Lines, i)
	}
	add(f.Counted.Others, other)
	return lines
}
