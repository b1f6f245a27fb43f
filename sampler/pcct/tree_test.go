package pcct

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"
	"unsafe"
)

// An arena is a tree with its memory, which the tree does not keep alive.
type arena struct {
	*Tree
	chunks [][]U
}

// newArena returns a tree that has some chunks.
func newArena(chunks int) *arena {
	a := &arena{Tree: new(Tree)}
	for range chunks {
		a.feed()
	}
	return a
}

func (a *arena) feed() {
	a.chunks = append(a.chunks, make([]U, ChunkWords))
	a.Feed(uintptr(unsafe.Pointer(&a.chunks[len(a.chunks)-1][0])))
}

// location returns the location of one function, at a line.
func (a *arena) location(name string, line int) Ref {
	return a.Location([]Frame{{Name: name, File: "f.go", Line: int32(line), StartLine: 1}})
}

// stack returns the node of a whole stack, outermost frame first, looked up from the root.
func (a *arena) stack(root Ref, frames ...string) Ref {
	for _, f := range frames {
		root = a.Node(root, a.location(f, 1))
	}
	return root
}

// TestIntern interns random entries of few contents: the same content has the same Ref, and no other has it. A map is the truth.
func TestIntern(t *testing.T) {
	a, r := newArena(MostChunks), rand.New(rand.NewSource(1))
	known := make(map[string]Ref)
	content := make(map[Ref]string)
	see := func(ref Ref, format string, args ...any) {
		t.Helper()
		c := fmt.Sprintf(format, args...)
		if ref == 0 {
			t.Fatalf("no room for %s", c)
		}
		if was, ok := known[c]; ok && was != ref {
			t.Fatalf("%s is %d and %d", c, was, ref)
		}
		if was, ok := content[ref]; ok && was != c {
			t.Fatalf("%d is %s and %s", ref, was, c)
		}
		known[c], content[ref] = ref, c
	}
	nodes, locations := []Ref{0}, []Ref{}
	for range 12_000 {
		var frames []Frame
		for range r.Intn(3) {
			frames = append(frames, Frame{strings.Repeat("é", r.Intn(20)), strings.Repeat("f", r.Intn(3)), int32(r.Intn(3)), int32(r.Intn(2))})
		}
		text := strings.Repeat("é", r.Intn(100)) + strings.Repeat("f", r.Intn(9))
		see(Ref(a.text(text)), "text %q", text)
		locations = append(locations, a.Location(frames))
		see(locations[len(locations)-1], "location %q", frames)
		parent, location := nodes[r.Intn(len(nodes))], locations[r.Intn(len(locations))]
		node := a.Node(parent, location)
		see(node, "node %d %d", parent, location)
		if len(nodes) < 60 {
			nodes = append(nodes, node)
		}
		at, number := U(r.Intn(5)), U(r.Intn(2))
		see(a.Path(node, at, number), "path %d %d %d", node, at, number)
	}
	if a.Lost() > 0 {
		t.Errorf("lost %d", a.Lost())
	}
}

func TestText(t *testing.T) {
	a := newArena(1)
	long := strings.Repeat("x", mostText)
	for _, s := range []string{"", "a", "12345678", "123456789", "a\x00", "a\x00\x00", long} {
		want := a.text(s)
		for _, other := range []string{"", "a", "12345678", "123456789", "a\x00", "a\x00\x00", long} {
			if same := a.text(other) == want; same != (s == other) {
				t.Errorf("%.10q and %.10q: same %v", s, other, same)
			}
		}
	}
	if a.text(long+"y") != a.text(long) {
		t.Error("a text that is too long is not what is kept of it")
	}
}

// TestRecursion keeps recursion in full (PCCT 5.4): a node for each activation.
func TestRecursion(t *testing.T) {
	a := newArena(2)
	var frames []string
	seen := map[Ref]bool{}
	for i := range 100 {
		frames = append(frames, []string{"A", "B"}[i%2])
		seen[a.stack(0, frames...)] = true
	}
	if len(seen) != 100 || seen[0] {
		t.Errorf("%d nodes of 100 activations", len(seen))
	}
}

func TestLabels(t *testing.T) {
	a := newArena(1)
	labels := func(list ...Label) Ref {
		return a.Labels(list)
	}
	x, y := labels(Label{"user", "x"}), labels(Label{"user", "y"})
	both := labels(Label{"user", "x"}, Label{"page", "1"})
	if x == 0 || x == y || x == both || y == both || labels(Label{"user", "x"}) != x {
		t.Errorf("labels %d, %d, %d", x, y, both)
	}
	if a.stack(x, "main") == a.stack(0, "main") || a.stack(x, "main") == a.stack(y, "main") {
		t.Error("contexts of different labels are one")
	}
	many := make([]Label, MostLabels+3)
	for i := range many {
		many[i].Key = fmt.Sprint(i)
	}
	if labels(many...) != labels(many[:MostLabels]...) {
		t.Error("labels beyond the most that are kept make a difference")
	}
}

func TestInnermost(t *testing.T) {
	a := newArena(1)
	inlined := Frame{Name: "leaf", Line: 3, StartLine: 1}
	one := a.Location([]Frame{inlined, {Name: "outer", Line: 9}})
	inlined.Line = 4
	two := a.Location([]Frame{inlined})
	if a.Innermost(one) == 0 || a.Innermost(one) != a.Innermost(two) {
		t.Error("the innermost function depends on its line")
	}
	if a.Innermost(a.location("outer", 9)) == a.Innermost(one) || a.Innermost(0) != 0 || a.Innermost(a.Location(nil)) != 0 {
		t.Error("innermost of another location")
	}
}

func TestHas(t *testing.T) {
	a := newArena(1)
	both := a.Location([]Frame{{Name: "leaf", Line: 3}, {Name: "outer", Line: 9}})
	leaf, outer, other := a.Innermost(a.location("leaf", 1)), a.Innermost(a.Location([]Frame{{Name: "outer"}})), a.Innermost(a.location("other", 9))
	if a.Has(both, leaf) { // it is of another file
		t.Error("leaf is in")
	}
	leaf = a.Innermost(a.Location([]Frame{{Name: "leaf"}}))
	if !a.Has(both, leaf) || !a.Has(both, outer) || a.Has(both, other) || a.Has(0, leaf) || a.Has(both, 0) || a.Has(a.Location(nil), leaf) {
		t.Error("functions of a location")
	}
}

// TestFull fills arenas: without a chunk, with one, with all, and beyond the index. What has been found before must still be
// found, and what there is must be readable.
func TestFull(t *testing.T) {
	for _, chunks := range []int{0, 1, MostChunks} {
		a := newArena(chunks)
		nodes := make(map[int]Ref)
		for i := 1; a.Lost() < 50; i++ {
			if n := a.Node(Ref(nodes[(i-1)/2]), a.location("f", i)); n != 0 {
				nodes[i] = n
			}
		}
		if chunks == 0 && len(nodes) > 0 || chunks > 0 && len(nodes) < 500 {
			t.Errorf("%d nodes in %d chunks", len(nodes), chunks)
		}
		lost := a.Lost()
		for i, n := range nodes {
			if got := a.Node(Ref(nodes[(i-1)/2]), a.location("f", i)); got != n {
				t.Fatalf("%d chunks: node %d was %d and is %d", chunks, i, n, got)
			}
		}
		if a.Lost() != lost {
			t.Errorf("%d chunks: %d more lost by looking for what is there", chunks, a.Lost()-lost)
		}
		if got := a.Labels([]Label{{"a new", "label"}}); got != 0 && len(nodes) == 0 {
			t.Errorf("labels %d without room", got)
		}
		read, err := Read(a.chunks)
		if err != nil || len(read.Nodes) < len(nodes) {
			t.Errorf("%d chunks: read %d nodes of %d, %v", chunks, len(read.Nodes), len(nodes), err)
		}
	}
}

// TestFeed gives a tree chunks as it asks for them.
func TestFeed(t *testing.T) {
	a := newArena(0)
	for i := range 20_000 {
		for a.Hungry() {
			a.feed()
		}
		a.Node(0, Ref(i+1))
	}
	if a.Lost() > 0 || a.Chunks() != len(a.chunks) || len(a.chunks) > 20_000*NodeWords/ChunkWords+2 {
		t.Errorf("lost %d with %d chunks", a.Lost(), a.Chunks())
	}
	for len(a.chunks) < MostChunks {
		a.feed()
	}
	if a.Hungry() {
		t.Error("hungry with all chunks that there can be")
	}
}

// TestRoomForSample has a sample of as many new frames as there can be, at all times. A tree that is not hungry must have room
// for it.
func TestRoomForSample(t *testing.T) {
	a := newArena(0)
	const name, file = "example.com/organisation/module/internal/package.(*Type).Method", "/home/user/src/module/internal/package/"
	for sample := range 20 {
		for a.Hungry() {
			a.feed()
		}
		node := Ref(0)
		for i := range MostDepth {
			id := fmt.Sprint(sample, i)
			node = a.Node(node, a.Location([]Frame{{Name: name + id, File: file + id, Line: 1, StartLine: 1}}))
		}
		if a.Lost() > 0 {
			t.Fatalf("lost %d in sample %d", a.Lost(), sample)
		}
	}
}

// chain returns the locations of a node and what is outside of it, innermost first.
func (a *arena) chain(node Ref) []Ref {
	var list []Ref
	for node != 0 {
		list = append(list, Ref(*a.Word(node, NodeLocation)))
		node = Ref(*a.Word(node, 0) >> 32)
	}
	return list
}

func reversed(list []Ref) []Ref {
	list = slices.Clone(list)
	slices.Reverse(list)
	return list
}
