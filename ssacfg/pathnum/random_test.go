package pathnum

import (
	"errors"
	"math/rand"
	"slices"
	"testing"

	"github.com/goprofinstr/goprofinstr/ssacfg/internal/sets"
)

// TestRandom verifies the numberings of random graphs. A failure prints the
// graph as a literal to make a test of.
func TestRandom(t *testing.T) {
	const graphs = 4000
	rnd := rand.New(rand.NewSource(1))
	var withFixed, truncated, irreparable int
	for range graphs {
		g, limit := randomGraph(rnd.Intn)
		n, err := newSeparable(t, g, limit)
		if err != nil {
			irreparable++
			continue
		}
		verify(t, n, limit, rnd)
		if slices.ContainsFunc(g.Edges, func(e Edge) bool { return e.Fixed }) {
			withFixed++
		}
		back, _, _ := backEdges(g)
		if !slices.Equal(back, n.Cut) {
			truncated++
		}
	}
	// The test is worth something only if it has seen all kinds.
	t.Logf("of %d graphs %d have Fixed edges, %d are truncated, %d have too many paths", graphs, withFixed, truncated, irreparable)
	if withFixed < graphs/4 || truncated < graphs/20 || irreparable > graphs/4 {
		t.Error("bad mixture of graphs")
	}
}

// FuzzNew does the same for graphs that are decoded from bytes.
func FuzzNew(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("\x04\x00\x00\x01\x01\x02\x03\x00\x01\x02\x01\x00\x03\x03\x02\x01"))
	f.Add([]byte("a loop here, a loop there, and a few Fixed edges in between them"))
	f.Fuzz(func(t *testing.T, data []byte) {
		g, limit := randomGraph(func(n int) int {
			if len(data) == 0 {
				return 0
			}
			b := data[0]
			data = data[1:]
			return int(b) % n
		})
		n, err := newSeparable(t, g, limit)
		if err != nil {
			return
		}
		verify(t, n, limit, rand.New(rand.NewSource(1)))
	})
}

// randomGraph makes a graph as New accepts it but for its Fixed edges
// and the limit. intn(n) is a choice among n.
func randomGraph(intn func(n int) int) (g *Graph, limit uint64) {
	g = &Graph{Blocks: 2 + intn(11)}
	g.Exit = g.Blocks - 1
	percentFixed := []int{0, 10, 30, 60}[intn(4)]
	edge := func(from, to int) {
		g.Edges = append(g.Edges, Edge{
			From:   from,
			To:     to,
			Weight: float64(intn(6)),
			Fixed:  intn(100) < percentFixed,
		})
	}
	hasOut := make([]bool, g.Blocks)
	add := func(from, to int) {
		hasOut[from] = true
		edge(from, to)
	}
	for v := 1; v < g.Exit; v++ {
		add(intn(v), v) // reachable
	}
	for range intn(2 * g.Blocks) {
		add(intn(g.Exit), intn(g.Blocks))
	}
	for v := range g.Exit {
		if !hasOut[v] {
			add(v, intn(g.Blocks))
		}
	}
	for i := range g.Edges { // the depth-first search follows the order
		j := i + intn(len(g.Edges)-i)
		g.Edges[i], g.Edges[j] = g.Edges[j], g.Edges[i]
	}
	if intn(3) == 0 {
		g.KeepRegister = intn(2) == 0
		g.Pinned = make([]bool, g.Blocks)
		for v := range g.Pinned {
			g.Pinned[v] = intn(2) == 0
		}
	}
	if intn(3) == 0 {
		limit = 3 + uint64(intn(20))
	}
	return g, limit
}

// newSeparable calls New and on an error about Fixed edges makes one of them
// ordinary and tries again. It checks that the errors tell the truth.
func newSeparable(t *testing.T, g *Graph, limit uint64) (*Numbering, error) {
	t.Helper()
	for {
		n, err := New(g, limit)
		var (
			inseparable   *InseparableError
			fixedBackEdge *FixedBackEdgeError
			uncountable   *UncountableError
			tooMany       *TooManyPathsError
		)
		switch {
		case err == nil:
			return n, nil
		case errors.As(err, &inseparable):
			verifyInseparable(t, g, inseparable)
			g.Edges[inseparable.Edges[0]].Fixed = false
		case errors.As(err, &fixedBackEdge):
			unfix(t, g, fixedBackEdge.Edge)
		case errors.As(err, &uncountable):
			if g.Edges[uncountable.Edge].To != g.Exit {
				t.Fatalf("%v: not an edge to the exit\n%s", err, graphString(g))
			}
			unfix(t, g, uncountable.Edge)
		case errors.As(err, &tooMany) && limit != 0:
			return nil, err
		default:
			t.Fatalf("New: %v\n%s", err, graphString(g))
		}
	}
}

func unfix(t *testing.T, g *Graph, e int) {
	t.Helper()
	if !g.Edges[e].Fixed {
		t.Fatalf("edge %d is in the error but not Fixed\n%s", e, graphString(g))
	}
	g.Edges[e].Fixed = false
}

// verifyInseparable checks that the edges are Fixed and make a single cycle,
// when entry and exit are taken for one block.
func verifyInseparable(t *testing.T, g *Graph, err *InseparableError) {
	t.Helper()
	degree := make(map[int]int)
	joined := sets.New(g.Blocks)
	joined.Union(g.Entry, g.Exit)
	same := func(v int) int {
		if v == g.Exit {
			return g.Entry
		}
		return v
	}
	cycles := 0
	for _, e := range err.Edges {
		edge := g.Edges[e]
		if !edge.Fixed {
			t.Fatalf("%v: edge %d is not Fixed\n%s", err, e, graphString(g))
		}
		degree[same(edge.From)]++
		degree[same(edge.To)]++
		if !joined.Union(edge.From, edge.To) {
			cycles++
		}
	}
	for v, d := range degree {
		if d%2 != 0 {
			t.Fatalf("%v: not a cycle at block %d\n%s", err, v, graphString(g))
		}
	}
	if cycles == 0 || len(err.Edges) == 0 {
		t.Fatalf("%v: not a cycle\n%s", err, graphString(g))
	}
}
