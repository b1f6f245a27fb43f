package pathnum

import (
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// This file is the slower truth that the tests compare with: paths are
// enumerated one by one, and code is executed edge by edge.

// maxEnumerated bounds the paths that tests enumerate; of graphs with more they
// take samples.
const maxEnumerated = 3000

// garbage is what r holds when nobody has set it.
const garbage = 0xdead_beef_dead_beef

func mustNew(t testing.TB, g *Graph, limit uint64) *Numbering {
	t.Helper()
	n, err := New(g, limit)
	if err != nil {
		t.Fatalf("New: %v\n%s", err, graphString(g))
	}
	return n
}

// verify checks everything about n that should hold for any graph.
func verify(t testing.TB, n *Numbering, limit uint64, rnd *rand.Rand) {
	t.Helper()
	fail := func(format string, args ...any) {
		t.Helper()
		t.Fatalf("%s\n%s%s", fmt.Sprintf(format, args...), graphString(n.Graph), numberingString(n))
	}
	if err := n.Check(); err != nil {
		fail("Check: %v", err)
	}
	g := n.Graph
	d, err := NewDecoder(g.Blocks, g.Entry, g.Exit, g.Edges, n.Cut, n.Values)
	if err != nil {
		fail("NewDecoder: %v", err)
	}
	if n.Values.NumPaths <= maxEnumerated {
		if err := verifyAllPaths(n, d, limit); err != nil {
			fail("%v", err)
		}
	} else {
		for range 100 {
			id := rnd.Uint64() % n.Values.NumPaths
			p, err := d.Path(id)
			if err == nil {
				err = verifyPath(n, d, p, id)
			}
			if err != nil {
				fail("path %d: %v", id, err)
			}
		}
	}
	for e, r := range n.Rounds() {
		if err := verifyRound(n, d, e, r); err != nil {
			fail("round counted on edge %d with r = %d: %v", e, int64(r), err)
		}
	}
	if err := simulate(n, d, rnd, 400); err != nil {
		fail("simulate: %v", err)
	}
}

// verifyAllPaths compares the numbering with an enumeration of the paths.
func verifyAllPaths(n *Numbering, d *Decoder, limit uint64) error {
	paths := enumerate(n.Graph, n.Cut)
	if uint64(len(paths)) != n.Values.NumPaths {
		return fmt.Errorf("NumPaths is %d, want %d", n.Values.NumPaths, len(paths))
	}
	seen := make([]bool, len(paths))
	type start struct {
		block int
		loop  bool
	}
	from := make(map[start]uint64)
	for _, p := range paths {
		id := n.startVal(p)
		for _, e := range p.Edges {
			id += n.Values.Edge[e]
		}
		if id >= uint64(len(seen)) || seen[id] {
			return fmt.Errorf("path %v has number %d, which is taken or too large", p, id)
		}
		seen[id] = true
		if err := verifyPath(n, d, p, id); err != nil {
			return fmt.Errorf("path %d: %v", id, err)
		}
		from[start{p.Start, p.Loop}]++
	}
	for s, paths := range from {
		if limit != 0 && paths > limit {
			return fmt.Errorf("%d paths from block %d, limit %d", paths, s.block, limit)
		}
	}
	return nil
}

// verifyPath checks that p regenerates and that the code on it counts id.
func verifyPath(n *Numbering, d *Decoder, p Path, id uint64) error {
	back, err := d.Path(id)
	if err != nil {
		return err
	}
	if back.Start != p.Start || back.Loop != p.Loop || !slices.Equal(back.Edges, p.Edges) {
		return fmt.Errorf("regenerated as %v, want %v", back, p)
	}
	if got, err := d.Number(p); err != nil || got != id {
		return fmt.Errorf("Number(%v) = %d, %v", p, got, err)
	}
	// Every cut edge to its start must begin the path in the same way.
	before := []int{-1}
	if p.Loop {
		before = before[:0]
		for e, edge := range n.Graph.Edges {
			if n.Cut[e] && edge.To == p.Start {
				before = append(before, e)
			}
		}
	}
	for _, b := range before {
		m := newMachine(n)
		if b >= 0 {
			m.r = garbage
			m.execute(Op{Then: n.Ops[b].Then, Value: n.Ops[b].Value})
		}
		sum := n.startInc(p)
		for _, e := range p.Edges {
			op := n.Ops[e]
			if n.Cut[e] {
				op.Then = NoChange
			}
			m.execute(op)
			sum += n.Inc[e]
		}
		if len(m.count) != 1 || m.count[id] != 1 {
			return fmt.Errorf("code counts %v", m.count)
		}
		if sum != id {
			return fmt.Errorf("increments sum up to %d", int64(sum))
		}
	}
	return nil
}

func (n *Numbering) startVal(p Path) uint64 {
	if !p.Loop {
		return 0
	}
	return n.Values.Starts[n.startIndex(p)].Val
}

func (n *Numbering) startInc(p Path) uint64 {
	if !p.Loop {
		return 0
	}
	return n.IncStart[n.startIndex(p)]
}

func (n *Numbering) startIndex(p Path) int {
	return slices.IndexFunc(n.Values.Starts, func(s Start) bool { return s.Block == p.Start })
}

// enumerate returns all paths of g, by recursion on their edges.
func enumerate(g *Graph, cut []bool) []Path {
	var paths []Path
	var walk func(p Path, v int)
	walk = func(p Path, v int) {
		if v == g.Exit {
			p.Edges = slices.Clone(p.Edges)
			paths = append(paths, p)
			return
		}
		for i, e := range g.Edges {
			if e.From != v {
				continue
			}
			next := p
			next.Edges = append(p.Edges[:len(p.Edges):len(p.Edges)], i)
			if cut[i] {
				paths = append(paths, next)
				continue
			}
			walk(next, e.To)
		}
	}
	walk(Path{Start: g.Entry}, g.Entry)
	for w := range g.Blocks {
		for i, e := range g.Edges {
			if cut[i] && e.To == w {
				walk(Path{Start: w, Loop: true}, w)
				break
			}
		}
	}
	return paths
}

// A machine executes Ops.
type machine struct {
	r     uint64
	count map[uint64]int
}

func newMachine(n *Numbering) *machine {
	m := &machine{count: make(map[uint64]int)}
	if !n.NeedInit {
		m.r = garbage
	}
	return m
}

func (m *machine) execute(op Op) {
	switch op.Count {
	case CountRegister:
		m.count[m.r+op.Inc]++
	case CountConst:
		m.count[op.Inc]++
	}
	switch op.Then {
	case Add:
		m.r += op.Value
	case Set:
		m.r = op.Value
	}
}

func (m *machine) counted() int {
	total := 0
	for _, c := range m.count {
		total += c
	}
	return total
}

// verifyRound checks that r stands for a path that e counts, and that another round follows. It checks that control comes to e by
// the heaviest edges, and that there is at most one other way.
func verifyRound(n *Numbering, d *Decoder, e int, r uint64) error {
	p, err := d.Path(r + n.Ops[e].Inc)
	if err != nil {
		return err
	}
	i := slices.Index(p.Edges, e)
	if i < 0 || !n.Cut[p.Edges[len(p.Edges)-1]] {
		return fmt.Errorf("path %v", p)
	}
	edges := n.Graph.Edges
	for _, on := range p.Edges[:i] {
		for _, other := range edges {
			if other.To == edges[on].To && other.Weight > edges[on].Weight {
				return fmt.Errorf("path %v takes edge %d, %d→%d, and %v weighs more", p, on, edges[on].From, edges[on].To, other)
			}
		}
	}
	if n.Values.NumPaths > maxEnumerated {
		return nil
	}
	ways := make(map[string]bool)
	for _, p := range enumerate(n.Graph, n.Cut) {
		if i := slices.Index(p.Edges, e); i >= 0 {
			ways[fmt.Sprint(p.Start, p.Edges[:i])] = true
		}
	}
	if len(ways) > mostWays {
		return fmt.Errorf("%d ways: %v", len(ways), slices.Sorted(maps.Keys(ways)))
	}
	return nil
}

// simulate calls the function some times: it walks the graph at random, cycles
// and all. It compares what the code on the edges counts with a log of the
// walk that is cut at the cut edges.
func simulate(n *Numbering, d *Decoder, rnd *rand.Rand, steps int) error {
	g := n.Graph
	out := make([][]int, g.Blocks)
	for i, e := range g.Edges {
		out[e.From] = append(out[e.From], i)
	}
	want := make(map[string]int) // by path
	got := make(map[string]int)
	for step := 0; step < steps; {
		m := newMachine(n)
		ended := 0
		p := Path{Start: g.Entry}
		for v := g.Entry; v != g.Exit; step++ {
			if g.Pinned != nil && g.Pinned[v] && m.counted() != ended {
				return fmt.Errorf("at pinned block %d, %d paths are counted and %d have ended", v, m.counted(), ended)
			}
			if g.KeepRegister && g.Pinned != nil && g.Pinned[v] {
				prefix, err := d.Prefix(m.r+n.Potential[v], v)
				if err != nil {
					return err
				}
				if got, want := fmt.Sprint(prefix), fmt.Sprint(p); got != want {
					return fmt.Errorf("r = %d in block %d says %s, the path so far is %s", int64(m.r), v, got, want)
				}
			}
			e := out[v][rnd.Intn(len(out[v]))]
			m.execute(n.Ops[e])
			p.Edges = append(p.Edges, e)
			v = g.Edges[e].To
			if v == g.Exit || n.Cut[e] {
				want[fmt.Sprint(p)]++
				ended++
				p = Path{Start: v, Loop: true}
				if step > steps {
					break // the function may be an endless loop
				}
			}
		}
		for id, c := range m.count {
			p, err := d.Path(id)
			if err != nil {
				return err
			}
			got[fmt.Sprint(p)] += c
		}
	}
	if !maps.Equal(want, got) {
		return fmt.Errorf("counts (-log +code):\n%s", cmp.Diff(want, got))
	}
	return nil
}

// graphString returns g as the Go literal of a test.
func graphString(g *Graph) string {
	var b strings.Builder
	fmt.Fprintf(&b, "&Graph{Blocks: %d, Entry: %d, Exit: %d, Edges: []Edge{\n", g.Blocks, g.Entry, g.Exit)
	for i, e := range g.Edges {
		fmt.Fprintf(&b, "\t{From: %d, To: %d, Weight: %v, Fixed: %v}, // e%d\n", e.From, e.To, e.Weight, e.Fixed, i)
	}
	fmt.Fprintf(&b, "}, Pinned: %#v}\n", g.Pinned)
	return b.String()
}

// numberingString returns the values and the code, a line for each edge that
// has any.
func numberingString(n *Numbering) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d paths", n.Values.NumPaths)
	if n.NeedInit {
		b.WriteString(", r = 0")
	}
	b.WriteString("\n")
	for i, s := range n.Values.Starts {
		fmt.Fprintf(&b, "start %d: Val %d Inc %d\n", s.Block, s.Val, int64(n.IncStart[i]))
	}
	for e, edge := range n.Graph.Edges {
		fmt.Fprintf(&b, "e%d %d→%d: Val %d", e, edge.From, edge.To, n.Values.Edge[e])
		if n.Chord[e] {
			fmt.Fprintf(&b, " Inc %d", int64(n.Inc[e]))
		}
		if n.Cut[e] {
			b.WriteString(" cut")
		}
		if code := n.Ops[e].String(); code != "" {
			fmt.Fprintf(&b, "  %s", code)
		}
		b.WriteString("\n")
	}
	return b.String()
}
