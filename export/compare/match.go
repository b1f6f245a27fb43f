package compare

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/align"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// A Pair is one function in two profiles.
type Pair struct {
	Old, New *profile.Function
	Renamed  bool
	Changed  bool  // the graph is another
	edges    []int // of Old to those of New; -1 for those that are gone
}

// Matching is what two profiles have in common.
type Matching struct {
	Pairs            []*Pair // in the order of the second profile, renamed ones last
	OnlyOld, OnlyNew []*profile.Function
}

// Match finds the functions of one profile in another. Declined ones are left out.
func Match(before, after *profile.Profile) *Matching {
	m := new(Matching)
	named := make(map[string]*profile.Function)
	for _, f := range instrumented(before) {
		named[f.Table.Name] = f
	}
	found := make(map[*profile.Function]bool)
	for _, f := range instrumented(after) {
		old := named[f.Table.Name]
		if old == nil || found[old] {
			m.OnlyNew = append(m.OnlyNew, f)
			continue
		}
		found[old] = true
		m.Pairs = append(m.Pairs, newPair(old, f))
	}
	for _, f := range instrumented(before) {
		if !found[f] {
			m.OnlyOld = append(m.OnlyOld, f)
		}
	}
	m.findRenamed()
	return m
}

func instrumented(p *profile.Profile) []*profile.Function {
	return slices.DeleteFunc(p.Functions(), (*profile.Function).Declined)
}

// fewestEdges is how many edges a function must have to be known by its graph alone. That of an if statement with a return in
// it has four.
const fewestEdges = 5

// findRenamed makes pairs of functions whose names are gone.
func (m *Matching) findRenamed() {
	before, after := byGraph(m.OnlyOld), byGraph(m.OnlyNew)
	for _, f := range slices.Clone(m.OnlyNew) {
		key := graphKey(f)
		if len(before[key]) != 1 || len(after[key]) != 1 || len(f.Table.Edges) < fewestEdges {
			continue
		}
		old := before[key][0]
		p := newPair(old, f)
		p.Renamed = true
		m.Pairs = append(m.Pairs, p)
		m.OnlyOld = slices.DeleteFunc(m.OnlyOld, func(g *profile.Function) bool { return g == old })
		m.OnlyNew = slices.DeleteFunc(m.OnlyNew, func(g *profile.Function) bool { return g == f })
	}
}

func byGraph(functions []*profile.Function) map[string][]*profile.Function {
	all := make(map[string][]*profile.Function)
	for _, f := range functions {
		all[graphKey(f)] = append(all[graphKey(f)], f)
	}
	return all
}

// graphKey returns what equal graphs have in common: all but where they are in the source.
func graphKey(f *profile.Function) string {
	var key []byte
	add := func(n int) { key = binary.AppendVarint(key, int64(n)) }
	add(len(f.Table.Blocks))
	add(f.Table.Entry)
	add(f.Table.Exit)
	for _, e := range f.Table.Edges {
		add(e.From)
		add(e.To)
		if e.Back {
			add(-1)
		}
		key = append(append(key, e.Kind...), 0)
	}
	return string(key)
}

func newPair(before, after *profile.Function) *Pair {
	p := &Pair{Old: before, New: after, edges: make([]int, len(before.Table.Edges))}
	if graphKey(before) == graphKey(after) {
		for i := range p.edges {
			p.edges[i] = i
		}
		return p
	}
	p.Changed = true
	p.align()
	return p
}

// align sets p.edges for graphs that are not the same.
func (p *Pair) align() {
	blocks := align.Lines(blockLabels(p.Old), blockLabels(p.New))
	blocks[p.Old.Table.Entry], blocks[p.Old.Table.Exit] = p.New.Table.Entry, p.New.Table.Exit
	type key struct {
		from, to int
		kind     table.EdgeKind
		back     bool
	}
	left := make(map[key][]int)
	for i, e := range p.New.Table.Edges {
		k := key{e.From, e.To, e.Kind, e.Back}
		left[k] = append(left[k], i)
	}
	for i, e := range p.Old.Table.Edges {
		k := key{blocks[e.From], blocks[e.To], e.Kind, e.Back}
		p.edges[i] = -1
		if same := left[k]; len(same) > 0 {
			p.edges[i], left[k] = same[0], same[1:]
		}
	}
}

// blockLabels returns what the blocks of f are aligned by: how control leaves each, and in what ways it comes there.
func blockLabels(f *profile.Function) []string {
	out, in := make([]string, len(f.Table.Blocks)), make([][]string, len(f.Table.Blocks))
	for _, e := range f.Table.Edges {
		out[e.From] += string(e.Kind) + " "
		in[e.To] = append(in[e.To], string(e.Kind))
	}
	for i := range out {
		slices.Sort(in[i]) // another way of the same kind is no reason to be another block
		out[i] += "← " + strings.Join(slices.Compact(in[i]), " ")
	}
	return out
}

// Edges returns the edges that a path of Old takes in New, or false if some of them are gone.
func (p *Pair) Edges(path []int) ([]int, bool) {
	edges := make([]int, len(path))
	for i, id := range path {
		if edges[i] = p.edges[id]; edges[i] < 0 {
			return nil, false
		}
	}
	return edges, true
}
