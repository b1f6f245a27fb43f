package pcct

import (
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/goprofinstr/goprofinstr/internal/chance"
)

// TestSimulation attaches the stacks of simulated programs, as package rt does at a tick, and holds the tree
// against what their contexts really spent. The ticks are the same each time, and so is what the tree has.
func TestSimulation(t *testing.T) {
	for name, program := range simulated {
		t.Run(name, func(t *testing.T) { simulate(t, program()) })
	}
}

// simulate runs a program and compares.
func simulate(t *testing.T, main *function) {
	s := &sampledProgram{arena: newArena(MostChunks), functions: make(map[uintptr]string),
		marks: make(map[*activation]bool)}
	m := newSimulation()
	root := m.truth
	// Ticks come at random times, for those at equal ones may be in step with a program.
	m.look = func(stack []*activation) {
		s.tick(stack)
		m.next += m.random.IntN(tickTime) - tickTime/2
	}
	m.run(main)
	c, err := Read(s.chunks)
	if err != nil {
		t.Fatal(err)
	}
	gotTime, gotNew := make(map[string]float64), make(map[string]float64)
	for i, n := range c.Nodes {
		context := c.functions(i)
		gotTime[context] += float64(n.Time)
		gotNew[context] += float64(n.New)
	}
	wantTime, wantNew := make(map[string]float64), make(map[string]float64)
	root.list("", wantTime, wantNew)
	if all := sum(gotTime); all != float64(m.ticks*tickTime) {
		t.Errorf("%v spent at %d ticks", all, m.ticks)
	}
	for context := range gotTime {
		if _, ok := wantTime[context]; !ok {
			t.Errorf("there is no context %s", context)
		}
	}
	overlap := common(wantTime, gotTime)
	least := chance.LeastOverlap(slices.Collect(maps.Values(shares(wantTime))), float64(m.ticks))
	t.Logf("%d contexts; %.3f of the time by context, of %.3f at least", len(wantTime), overlap, least)
	if overlap < least {
		t.Errorf("%.3f of the time by context, of %.3f at least", overlap, least)
	}
	overlap = common(wantNew, gotNew)
	// No matter of chance: only the last tick is cut short.
	t.Logf("%.4f of the time of new activations", overlap)
	if total := sum(gotNew) / sum(wantNew); overlap < 0.995 || math.Abs(total-1) > 0.005 {
		t.Errorf("%.4f of the time of new activations by context, %.4f of it in all", overlap, total)
	}
}

// A sampledProgram is what package rt has of a program.
type sampledProgram struct {
	*arena
	stack     Stack
	history   History
	marks     map[*activation]bool
	functions map[uintptr]string // by entry point
}

// tick attaches a stack, and counts what began since the last tick.
func (s *sampledProgram) tick(stack []*activation) {
	var seen []Activation
	var places []Place
	for depth, a := range slices.Backward(stack) {
		place := Place{a.call, uintptr(1_000_000 - depth*size)}
		seen, places = append(seen, Activation{place, a.kind(s.marks[a])}), append(places, place)
		s.marks[a] = a.f.mark
	}
	locationOf := func(depth int) Ref { // innermost first
		f := stack[len(stack)-1-depth].f
		return s.location(f.name, int(places[depth].PC-f.entry))
	}
	known, node := s.stack.Known(s.Tree, 0, places, true, func(_, _ uintptr) uintptr { return 0 })
	for i := len(places) - 1 - known; i > 0; i-- {
		node = s.Node(node, locationOf(i))
		s.stack.Push(s.Tree, places[i], node)
	}
	leaf := s.Node(node, locationOf(0))
	*s.Word(leaf, NodeTime) += tickTime
	old := make([]bool, len(seen))
	s.history.Old(1, seen, old)
	node = leaf
	for i := range seen {
		if !old[i] {
			*s.Word(node, NodeNew) += tickTime
		}
		node = s.about(node)
	}
}

// list adds what a context and those inside of it have spent.
func (s *spent) list(outer string, time, new map[string]float64) {
	for _, i := range s.inner {
		context := outer + ";" + i.name
		time[context], new[context] = float64(i.time), float64(i.new)
		i.list(context, time, new)
	}
}

// functions returns the functions of a context, outermost first.
func (c *Contexts) functions(node int) string {
	if node < 0 {
		return ""
	}
	return c.functions(c.Nodes[node].Parent) + ";" + c.Nodes[node].Frames[0].Name
}

func sum(values map[string]float64) float64 {
	all := 0.0
	for _, v := range values {
		all += v
	}
	return all
}

func shares(values map[string]float64) map[string]float64 {
	all, of := sum(values), make(map[string]float64)
	for name, v := range values {
		of[name] = v / all
	}
	return of
}

// common is the overlap of two distributions: 1 if they are the same.
func common(a, b map[string]float64) float64 {
	x, y := shares(a), shares(b)
	overlap := 0.0
	for name := range x {
		overlap += min(x[name], y[name])
	}
	return overlap
}
