package archive

import (
	"context"
	"testing"

	"github.com/goprofinstr/goprofinstr/export/fleet/archive/store"
)

// meanwhile is a store in which something happens before the operation of some number.
type meanwhile struct {
	*memory
	n, at int
	do    func()
}

func (m *meanwhile) next() {
	if m.n++; m.n == m.at {
		m.do()
	}
}

func (m *meanwhile) Get(ctx context.Context, name string) ([]byte, error) {
	m.next()
	return m.memory.Get(ctx, name)
}

func (m *meanwhile) Put(ctx context.Context, name string, data []byte) error {
	m.next()
	return m.memory.Put(ctx, name, data)
}

func (m *meanwhile) PutIfAbsent(ctx context.Context, name string, data []byte) (bool, error) {
	m.next()
	return m.memory.PutIfAbsent(ctx, name, data)
}

func (m *meanwhile) List(ctx context.Context, prefix string) ([]store.Info, error) {
	m.next()
	return m.memory.List(ctx, prefix)
}

func (m *meanwhile) Delete(ctx context.Context, name string) error {
	m.next()
	return m.memory.Delete(ctx, name)
}

// TestPruneMeanwhile puts a run before each step of Prune, and prunes before each step of PutRun. The tables of the run are old,
// and nothing refers to them when it begins. They are there in the end, with its counts.
func TestPruneMeanwhile(t *testing.T) {
	base, run := newMemory(), fleet(32, 1)[0]
	put(t, create(t, base), run)
	for _, name := range base.below(countsFolder) {
		delete(base.objects, name)
	}
	base.now = day(20)
	again := run
	again.Start = day(20)
	putRun := func(a *Archive) { put(t, a, again) }
	prune := func(a *Archive) {
		if done, err := a.Prune(ctx, day(20)); err != nil || done.Damaged != nil {
			t.Errorf("%+v, %v", done, err)
		}
	}
	fresh := newMemory()
	fresh.now = base.now
	putRun(create(t, fresh))
	want := merged(t, create(t, fresh), Select{})
	for _, c := range []struct {
		name          string
		first, second func(*Archive)
	}{{"prune", prune, putRun}, {"put", putRun, prune}} {
		for at := 1; ; at++ {
			m := &meanwhile{memory: base.clone()}
			a, err := OpenStore(ctx, "test", m)
			if err != nil {
				t.Fatal(err)
			}
			other := create(t, m.memory)
			a.now = other.now
			m.n, m.at, m.do = 0, at, func() { c.second(other) }
			c.first(a)
			if m.n < at {
				break // it had fewer steps
			}
			builds, damaged, err := create(t, m.memory).Merge(ctx, Select{})
			if got := textOf(t, builds); err != nil || damaged != nil || got != want {
				t.Errorf("%s, before step %d: damaged %v, %v; got\n%s\nwant\n%s", c.name, at, damaged, err, got, want)
			}
		}
	}
}

// TestPruneCompacted has somebody compact before each step of Prune. That is no damage: the tables that nothing refers to go, and
// the others stay.
func TestPruneCompacted(t *testing.T) {
	base, runs := newMemory(), fleet(34, 6)
	for i := range runs {
		runs[i].Start, runs[i].Final = day(20), true
	}
	put(t, create(t, base), runs...)
	const unused = tablesFolder + "0000000000000000000000000000000000000000000000000000000000000000"
	base.objects[unused], base.written[unused] = []byte("table"), day(1)
	base.now = day(22)
	want := merged(t, create(t, base.clone()), Select{})
	for at := 1; ; at++ {
		m := &meanwhile{memory: base.clone()}
		a, err := OpenStore(ctx, "test", m)
		if err != nil {
			t.Fatal(err)
		}
		other := create(t, m.memory)
		a.now = other.now
		m.n, m.at, m.do = 0, at, func() { compact(t, other) }
		done, err := a.Prune(ctx, day(20))
		if m.n < at {
			break // it had fewer steps
		}
		if err != nil || done.Damaged != nil || done.Tables != 1 || m.objects[unused] != nil {
			t.Errorf("before step %d: %+v, %v", at, done, err)
		}
		if got := merged(t, create(t, m.memory), Select{}); got != want {
			t.Errorf("before step %d: got\n%s\nwant\n%s", at, got, want)
		}
	}
}

// TestPruneGrace keeps tables that were written a short time ago, however young counts are that go.
func TestPruneGrace(t *testing.T) {
	m := newMemory()
	a := create(t, m)
	put(t, a, fleet(33, 1)...)
	m.now = m.now.Add(grace / 2)
	if done, err := a.Prune(ctx, day(3)); err != nil || done.Objects != 1 || done.Tables != 0 {
		t.Errorf("after half of the time: %+v, %v", done, err)
	}
	m.now = m.now.Add(grace)
	if done, err := a.Prune(ctx, day(3)); err != nil || done.Tables != 2 {
		t.Errorf("after the time: %+v, %v", done, err)
	}
}
