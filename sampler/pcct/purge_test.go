package pcct

import (
	"fmt"
	"math/rand"
	"testing"
)

// TestPurge samples far more contexts than there is room for: most of them once, some again and again. No time, sample or
// estimate may be lost, and what is found in the index must be what is there. What is read must be a tree. In it the contexts
// that came again and again have nearly all that is theirs, though they came late.
func TestPurge(t *testing.T) {
	a, r := newArena(MostChunks), rand.New(rand.NewSource(8))
	var time, samples U
	estimates, hot := make(map[[2]U]U), make(map[string]U)
	for i := range 60_000 {
		var frames []string
		text, often := "", i >= 30_000 && i%10 == 0 // when it has been full for long
		for depth := range 8 {
			f := r.Intn(20)
			if often {
				f = i / 10 % 50 * (depth + 1) % 20
			}
			frames = append(frames, fmt.Sprint("f", f))
			text += fmt.Sprintf("%v%v\n", []Label(nil), []Frame{{frames[depth], "f.go", 1, 1}})
		}
		node := a.stack(0, frames...)
		*a.Word(node, NodeTime) += 10
		*a.Word(node, NodeSamples)++
		time, samples = time+10, samples+1
		number := [2]U{U(r.Intn(50)), 7}
		*a.Word(a.Path(node, number[0], number[1]), PathEstimate) += 3
		estimates[number] += 3
		if often {
			hot[text] += 10
		}
		may, before := a.Purges(), a.Folded()
		a.Purge()
		if a.Folded() != before && !may {
			t.Fatal("it folds though nothing said that it might")
		}
	}
	if a.Lost() > 0 || a.Folded() < 100_000 || a.Entries() > mostEntries {
		t.Errorf("lost %d, folded %d, %d entries", a.Lost(), a.Folded(), a.Entries())
	}
	a.checkIndex(t)
	read, err := Read(a.chunks)
	if err != nil {
		t.Fatal(err)
	}
	found := make(map[string]U)
	for i, n := range read.Nodes {
		time, samples = time-n.Time, samples-n.Samples
		found[read.text(i)] += n.Time
	}
	for _, p := range read.Paths {
		estimates[[2]U{p.At, p.Number}] -= p.Estimate
	}
	if time != 0 || samples != 0 {
		t.Errorf("%d of the time and %d samples are missing", time, samples)
	}
	for path, n := range estimates {
		if n != 0 {
			t.Errorf("%d of path %v are missing", n, path)
		}
	}
	for text, n := range hot {
		if found[text] < n*9/10 {
			t.Errorf("%d of %d are left of\n%s", found[text], n, text)
		}
	}
}

// checkIndex checks that every entry is found in the index, and nothing else is in it.
func (a *arena) checkIndex(t *testing.T) {
	t.Helper()
	entries := 0
	for _, r := range a.index {
		if r == 0 {
			continue
		}
		entries++
		slot := a.home(r)
		for a.index[slot] != r && a.index[slot] != 0 {
			slot = (slot + 1) % slots
		}
		if a.index[slot] != r || *a.Word(r, 0)&0xff == KindFree {
			t.Fatalf("entry %d, %x, is not found", r, *a.Word(r, 0))
		}
	}
	if entries != a.Entries() {
		t.Errorf("%d entries in the index of %d", entries, a.Entries())
	}
}

// TestPurgeFull has entries that can only be new ones take the last room while some are free. Functions that are seen for the
// first time do so. Then nodes take what is free.
func TestPurgeFull(t *testing.T) {
	a := newArena(MostChunks)
	node := a.stack(0, "main")
	for i := 0; a.Entries() < purgeFrom; i++ {
		a.Node(node, Ref(i))
	}
	for a.Folded() == 0 {
		a.Purge()
	}
	for i := 0; a.Lost() == 0; i++ {
		a.location("f", i)
	}
	for i := range slots {
		a.Node(node, Ref(i))
	}
	if a.Entries() > mostEntries {
		t.Errorf("%d entries, of %d at most", a.Entries(), mostEntries)
	}
	a.checkIndex(t)
}

// TestPurgeStack has stacks remembered while the tree is purged: the node found must be the one that looking all frames up finds.
func TestPurgeStack(t *testing.T) {
	m, r := &machine{arena: newArena(MostChunks), base: 1 << 30, most: MostDepth}, rand.New(rand.NewSource(9))
	for i := range 40_000 {
		m.ret(r.Intn(12))
		for len(m.frames) < 30 && r.Intn(8) > 0 {
			m.call(1+uintptr(r.Intn(30)), 16)
		}
		if got, want := m.sample(0), m.lookup(0); got != want {
			t.Fatalf("sample %d: node %d, %v, want %d, %v", i, got, m.chain(got), want, m.chain(want))
		}
		m.Purge()
	}
	if m.Lost() > 0 || m.Folded() < 10_000 {
		t.Errorf("lost %d, folded %d", m.Lost(), m.Folded())
	}
	m.checkIndex(t)
}

// TestPurgeStep bounds what a step does, for it is done in a signal handler, in a tree that is one deep recursion.
func TestPurgeStep(t *testing.T) {
	a := newArena(MostChunks)
	node := Ref(0)
	for i := 0; a.Entries() < purgeFrom; i++ {
		node = a.Node(node, a.location("f", i))
	}
	for range 3 {
		before := a.Folded()
		if a.Purge(); a.Folded()-before > purgeStep {
			t.Errorf("a step has folded %d", a.Folded()-before)
		}
	}
	for range 1000 {
		a.Purge()
	}
	if a.Entries() > purgeTo {
		t.Errorf("%d entries are left", a.Entries())
	}
}

// TestPurgeTruncated has pages of the arena be zeros, as after the run file was truncated. Purging must end, inside of the
// chunks.
func TestPurgeTruncated(t *testing.T) {
	const page = 512 // words
	a, r := newArena(MostChunks), rand.New(rand.NewSource(10))
	node := a.stack(0, "main")
	for i := 0; a.Entries() < purgeFrom; i++ {
		a.Path(a.Node(node, Ref(i)), U(i), 1)
	}
	for i := range 2 * MostChunks {
		chunk := a.chunks[r.Intn(len(a.chunks))]
		clear(chunk[i%(ChunkWords/page)*page:][:page])
		a.Purge()
	}
	if a.Folded() == 0 {
		t.Error("nothing is folded")
	}
}

// FuzzPurge does what the bytes say: samples and purges, at the edge of being full. The tree must be whole whenever it is read.
func FuzzPurge(f *testing.F) {
	f.Add([]byte("samples of any stacks"), uint16(3))
	f.Add([]byte{0, 1, 2, 3, 255, 254, 0, 0, 7}, uint16(20))
	f.Fuzz(func(t *testing.T, b []byte, times uint16) {
		a := newArena(MostChunks)
		var total U
		first := a.stack(0, "main")
		for i := 0; a.Entries() < purgeFrom; i++ { // contexts that nobody asks for again
			a.Node(first, Ref(i))
		}
		for range times % 64 {
			node := Ref(0)
			for _, c := range b[:min(len(b), 64)] {
				if node = a.Node(node, a.location("g", int(c))); c%5 == 0 {
					a.Path(node, U(c), U(times))
				}
				if c%7 == 0 {
					*a.Word(node, NodeTime)++
					*a.Word(node, NodeSamples) += U(c)
					total++
				}
			}
			a.Purge()
		}
		a.checkIndex(t)
		read, err := Read(a.chunks)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range read.Nodes {
			total -= n.Time
		}
		if total != 0 {
			t.Errorf("%d of the time are missing", total)
		}
	})
}

// TestPurgeLabels has each goroutine have labels of its own, as where requests are labelled with numbers. What is hot must have
// nearly all that is its.
func TestPurgeLabels(t *testing.T) {
	a := newArena(MostChunks)
	known := a.Labels([]Label{{"user", "0"}})
	sample := func(node Ref) {
		if node == 0 {
			t.Fatal("there is no room")
		}
		*a.Word(node, NodeSamples)++
	}
	const often = 4
	for i := range 60_000 {
		if i%often == 0 {
			sample(a.stack(0, "main", "hot"))
		}
		sample(a.stack(a.Labels([]Label{{"user", fmt.Sprint(i)}}), "main", fmt.Sprint("f", i%50)))
		a.Purge()
	}
	if n := *a.Word(a.stack(0, "main", "hot"), NodeSamples); n < 60_000/often*9/10 {
		t.Errorf("%d samples are left of what is hot, of %d", n, 60_000/often)
	}
	if a.Labels([]Label{{"user", "0"}}) != known {
		t.Error("labels that are known have another node")
	}
	a.checkIndex(t)
}

// TestManyLabels keeps many labels where there is room.
func TestManyLabels(t *testing.T) {
	a := newArena(MostChunks)
	for i := range 8000 {
		if a.Labels([]Label{{"user", fmt.Sprint(i)}}) == 0 {
			t.Fatalf("there is no room for labels %d, with %d entries", i, a.Entries())
		}
	}
	if a.Lost() > 0 {
		t.Errorf("%d entries are lost", a.Lost())
	}
}

// TestPurgeLasting has more entries than purging goes down to that are never folded: what has many samples must stay.
func TestPurgeLasting(t *testing.T) {
	a := newArena(MostChunks)
	*a.Word(a.stack(0, "main", "hot"), NodeSamples) = 1000
	for i := 0; a.Entries() < purgeFrom; i++ {
		a.location("f", i)
	}
	for range 10_000 {
		a.Purge()
	}
	if n := *a.Word(a.stack(0, "main", "hot"), NodeSamples); n != 1000 {
		t.Errorf("%d samples are left of 1000", n)
	}
}
