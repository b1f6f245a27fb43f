package pcct

import (
	"math/rand"
	"slices"
	"testing"
)

// A machine is a stack of calls as the hardware has it, from which samples are taken as package rt takes them.
type machine struct {
	*arena
	stack  Stack
	base   uintptr // where the outermost frame begins
	frames []call  // outermost first
	stem   int     // outermost frames, which do not return
	most   int     // new frames of a sample
	walked int     // callers looked up
}

// A call is where a caller will go on, and the size of its frame.
type call struct{ pc, size uintptr }

func (m *machine) call(pc, size uintptr) { m.frames = append(m.frames, call{pc, size}) }
func (m *machine) ret(n int)             { m.frames = m.frames[:max(m.stem, len(m.frames)-n)] }

// places returns what an unwinder sees.
func (m *machine) places() (places []Place, whole bool) {
	fp := m.base
	for _, f := range m.frames {
		places = append(places, Place{PC: f.pc, FP: fp})
		fp -= f.size
	}
	slices.Reverse(places)
	return places[:min(len(places), MostDepth)], len(places) <= MostDepth
}

// returns reads the machine's memory.
func (m *machine) returns(sp, fp uintptr) uintptr {
	end := m.base
	for i, f := range m.frames {
		if begin := end - f.size; i > 0 && end == fp && begin == sp {
			return m.frames[i-1].pc
		}
		end -= f.size
	}
	return 0
}

// locationOf returns the location of an address. Any number is one.
func locationOf(pc uintptr) Ref { return Ref(pc) }

// sample attaches the stack and returns the node of the innermost caller.
func (m *machine) sample(root Ref) Ref {
	places, whole := m.places()
	known, node := m.stack.Known(m.Tree, root, places, whole, m.returns)
	n := len(places)
	if n-known > m.most {
		n, known, node = m.most, 0, root
		m.stack.Forget()
	}
	for i := n - 1 - known; i > 0; i-- {
		node = m.Node(node, locationOf(places[i].PC))
		m.stack.Push(m.Tree, places[i], node)
		m.walked++
	}
	return node
}

// lookup returns the node of the innermost caller, looked up from the root.
func (m *machine) lookup(root Ref) Ref {
	for _, f := range m.frames[:max(0, len(m.frames)-1)] {
		root = m.Node(root, locationOf(f.pc))
	}
	return root
}

// step calls and returns at random, and sometimes moves the stack or goes to another one.
func (m *machine) step(r *rand.Rand, most int) {
	switch r.Intn(20) {
	case 0:
		m.base += uintptr(r.Intn(3)) << 20
	case 1:
		m.ret(len(m.frames))
	case 2:
		m.ret(r.Intn(len(m.frames) + 1))
	}
	m.ret(r.Intn(4))
	for range r.Intn(6) {
		if len(m.frames) < most {
			m.call(1+uintptr(r.Intn(3)), 16+16*uintptr(r.Intn(2)))
		}
	}
}

// TestStackWhole takes samples of stacks that are seen whole: the node found must be the one that looking all frames up
// finds. With so few functions and sizes of frames, recursion and frames that take the place of others are the rule.
func TestStackWhole(t *testing.T) {
	m, r := &machine{arena: newArena(MostChunks), base: 1 << 30, most: MostDepth}, rand.New(rand.NewSource(2))
	frames := 0
	roots := []Ref{0, m.Node(0, 1<<20), m.Node(0, 1<<20+1)} // as of labels
	root := roots[0]
	for i := range 5_000 {
		m.step(r, 40)
		if r.Intn(10) == 0 {
			root = roots[r.Intn(len(roots))]
		}
		frames += max(0, len(m.frames)-1)
		if got, want := m.sample(root), m.lookup(root); got != want {
			t.Fatalf("sample %d: node %d, %v, want %d, %v", i, got, m.chain(got), want, m.chain(want))
		}
	}
	if m.Lost() > 0 {
		t.Fatalf("lost %d", m.Lost())
	}
	if m.walked > frames*2/3 {
		t.Errorf("looked %d of %d callers up", m.walked, frames)
	}
}

// TestStackDeep takes samples of stacks of which only the innermost frames are seen. Below a stem that stays, whatever is found
// must be the innermost part of the truth, and no less of it than was seen.
func TestStackDeep(t *testing.T) {
	m, r := &machine{arena: newArena(MostChunks), base: 1 << 30, most: MostDepth}, rand.New(rand.NewSource(3))
	for range 100 {
		m.call(1+uintptr(r.Intn(3)), 16)
	}
	m.stem = len(m.frames)
	attached := 0
	for i := range 3_000 {
		m.step(r, 250)
		got := reversed(m.chain(m.sample(0)))
		want := m.frames[:len(m.frames)-1]
		if len(got) < min(len(want), MostDepth-1) || len(got) > len(want) {
			t.Fatalf("sample %d: %d callers of %d", i, len(got), len(want))
		}
		if len(got) > MostDepth-1 {
			attached++
		}
		for k, at := range got {
			if pc := want[len(want)-len(got)+k].pc; at != locationOf(pc) {
				t.Fatalf("sample %d: caller %d of %d is %d, want %d", i, k, len(got), at, pc)
			}
		}
	}
	if attached < 200 {
		t.Errorf("%d samples were attached to what had been seen before", attached)
	}
}

// TestStackMixed has deep stacks that may be others at their bottom than when they were last seen. What is found must still
// be a part of the truth.
func TestStackMixed(t *testing.T) {
	m, r := &machine{arena: newArena(MostChunks), base: 1 << 30, most: MostDepth}, rand.New(rand.NewSource(3))
	attached := 0
	for i := range 3_000 {
		m.step(r, 250)
		for len(m.frames) < 150 {
			m.call(1+uintptr(len(m.frames)%2), 16)
		}
		got := reversed(m.chain(m.sample(0)))
		want := m.frames[:len(m.frames)-1]
		if len(got) > MostDepth-1 {
			attached++
		}
		for k, at := range got {
			if pc := want[len(want)-len(got)+k].pc; at != locationOf(pc) {
				t.Fatalf("sample %d: caller %d of %d is %d, want %d", i, k, len(got), at, pc)
			}
		}
	}
	if attached < 200 {
		t.Errorf("%d samples were attached to what had been seen before", attached)
	}
}

// TestStackMost bounds the new frames of a sample: what is found then is the innermost part of the truth.
func TestStackMost(t *testing.T) {
	m, r := &machine{arena: newArena(MostChunks), base: 1 << 30, most: 8}, rand.New(rand.NewSource(4))
	whole := 0
	for i := range 3_000 {
		m.step(r, 40)
		got := reversed(m.chain(m.sample(0)))
		want := m.frames[:max(0, len(m.frames)-1)]
		if len(got) == len(want) {
			whole++
		}
		if len(got) < min(len(want), m.most-1) {
			t.Fatalf("sample %d: %d callers of %d", i, len(got), len(want))
		}
		for k, at := range got {
			if pc := want[len(want)-len(got)+k].pc; at != locationOf(pc) {
				t.Fatalf("sample %d: caller %d of %d is %d, want %d", i, k, len(got), at, pc)
			}
		}
	}
	if whole < 500 {
		t.Errorf("%d samples were whole", whole)
	}
}

// TestStackGrows goes deeper step by step, far beyond what is remembered. Every sample continues where the last one was, so the
// context keeps its root. (PCCT 5.4.1 loses it only where very many calls come between two samples.)
func TestStackGrows(t *testing.T) {
	m := &machine{arena: newArena(4), base: 1 << 30, most: MostDepth}
	for range 200 {
		for range 1 + MostDepth/4 {
			m.call(uintptr(1+len(m.frames)%3), 32)
		}
		if got, want := m.sample(0), m.lookup(0); got != want {
			t.Fatalf("at depth %d: %d callers", len(m.frames), len(m.chain(got)))
		}
	}
}
