package pathnum

import (
	"math/rand"
	"slices"
	"testing"
)

// TestCheckFindsMistakes changes numberings at random: whenever brute force
// finds a mistake, Check must find it too.
func TestCheckFindsMistakes(t *testing.T) {
	rnd := rand.New(rand.NewSource(1))
	mistakes := 0
	for range 3000 {
		g, limit := randomGraph(rnd.Intn)
		n, err := newSeparable(t, g, limit)
		if err != nil || n.Values.NumPaths > 200 {
			continue
		}
		d, err := NewDecoder(g.Blocks, g.Entry, g.Exit, g.Edges, n.Cut, n.Values)
		if err != nil {
			t.Fatal(err)
		}
		what := spoil(n, rnd)
		if verifyAllPaths(n, d, limit) == nil && simulate(n, d, rnd, 200) == nil {
			continue
		}
		mistakes++
		if n.Check() == nil {
			t.Fatalf("%s: not found\n%s%s", what, graphString(g), numberingString(n))
		}
	}
	if mistakes < 500 {
		t.Errorf("only %d mistakes made", mistakes)
	}
}

// spoil changes n at one place and says where.
func spoil(n *Numbering, rnd *rand.Rand) string {
	e := rnd.Intn(len(n.Ops))
	op := &n.Ops[e]
	switch rnd.Intn(6) {
	case 0:
		op.Count = CountKind(rnd.Intn(3))
		return "Count"
	case 1:
		op.Inc += uint64(rnd.Intn(3)) - 1
		return "Op.Inc"
	case 2:
		op.Then = ThenKind(rnd.Intn(3))
		return "Then"
	case 3:
		op.Value += uint64(rnd.Intn(3)) - 1
		return "Value"
	case 4:
		n.NeedInit = !n.NeedInit
		return "NeedInit"
	default:
		n.Inc[e]++
		return "Inc"
	}
}

// TestCheckFixed puts code where none can be.
func TestCheckFixed(t *testing.T) {
	g := &Graph{Blocks: 3, Entry: 0, Exit: 2, Edges: []Edge{
		{From: 0, To: 1, Fixed: true},
		{From: 1, To: 2},
	}}
	n := mustNew(t, g, 0)
	if err := n.Check(); err != nil {
		t.Fatal(err)
	}
	n.Ops[0], n.Ops[1] = n.Ops[1], n.Ops[0]
	if n.Check() == nil {
		t.Error("code on a Fixed edge is not found")
	}
}

// TestCheckPinned moves a count above a pinned block.
func TestCheckPinned(t *testing.T) {
	n := mustNew(t, oneDiamond(nil), 0)
	n.Graph.Pinned = slices.Repeat([]bool{true}, 5)
	if n.Check() == nil {
		t.Error("count above a pinned block is not found")
	}
}
