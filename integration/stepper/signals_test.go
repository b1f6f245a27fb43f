//go:build linux && amd64

package main

import (
	"path/filepath"
	"testing"

	"github.com/goprofinstr/goprofinstr/internal/longtest"
)

// TestSignals has signals come at each instruction of copies that the storm executes: profiles, preemption, stacks that move,
// faults, and changes to copies and back. TestStorm has them come anywhere, and rarely where little is executed.
func TestSignals(t *testing.T) {
	b, c := prepareCopies(t, "testdata/storm", "example.com/storm")
	signalsIn(t, b, c)
}

// signalsIn runs the storm with signals at each instruction of copies.
func signalsIn(t *testing.T, b *bench, c *copiedProgram) {
	args := []string{"-test.run=^Test$", "-rounds=2"}
	r, s, err := b.storm(c, 0, args)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("no burst ends: %v\n%v", s, r)
	for _, d := range r.differ {
		t.Errorf("counts differ: %s", d)
	}
	expect(t, s, 3000, profiled, preempted, moved)
	if s, err = b.collected(c, 0, args); err != nil {
		t.Fatal(err)
	}
	t.Logf("with a profile and a collector: %v", s)
	expect(t, s, 3000, profiled, preempted, moved)
	checkProfile(t, c, filepath.Join(b.work, "cpu"))
	if s, err = b.changing(c, 0, s.begun, args); err != nil {
		t.Fatal(err)
	}
	t.Logf("bursts: %v, %+v", s, c.stats)
	expect(t, s, 500, profiled, preempted, moved, left, faulted)
	checkProfile(t, c, filepath.Join(b.work, "cpu"))
}

// expect makes sure that enough instructions were interrupted, in each way.
func expect(t *testing.T, s *storm, instructions int, kinds ...int) {
	if len(s.seen) < instructions || len(s.begun) < 20 {
		t.Errorf("%d instructions were interrupted, in %d functions", len(s.seen), len(s.begun))
	}
	for _, k := range kinds {
		if s.stopped[k] < instructions/10 {
			t.Errorf("in the way %d %d were", k, s.stopped[k])
		}
	}
}

// TestSignalsCold does so where functions begin cold: none falls, then some do, and then instructions fault.
// At last functions that have fallen are entered by counters, which have to be right.
func TestSignalsCold(t *testing.T) {
	longtest.Skip(t)
	o := &options{work: t.TempDir(), goprofinstr: goprofinstr}
	b, err := o.prepare(&pkg{path: "example.com/storm", dir: copied(t, "testdata/storm"), copies: true, whole: true, cold: true})
	if err != nil {
		t.Fatal(err)
	}
	c, err := copyProgram(b.program, b.pkg)
	if err != nil {
		t.Fatal(err)
	}
	coldSignalsIn(t, b, c)
}

// coldSignalsIn is signalsIn where functions begin cold.
func coldSignalsIn(t *testing.T, b *bench, c *copiedProgram) {
	args := []string{"-test.run=^Test$", "-rounds=2"}
	for _, bound := range []uint64{noBound, 300} {
		r, s, err := b.coldStorm(c, 0, bound, args)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("up to %d records: %v\n%v\n%+v", bound, s, r, c.stats)
		for _, d := range r.differ {
			t.Errorf("counts differ: %s", d)
		}
		expect(t, s, 2000, profiled, preempted, moved, left, ticked)
		if (c.stats.Fallen == 0) != (bound == noBound) || r.counted == 0 || c.stats.Lost > 0 {
			t.Errorf("%d functions have fallen, and %d are counted", c.stats.Fallen, r.counted)
		}
	}
	s, err := b.coldFaults(c, 0, args)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("faults: %v\n%+v", s, c.stats)
	expect(t, s, 2000, profiled, preempted, moved, left, ticked, faulted)
	checkProfile(t, c, filepath.Join(b.work, "cpu"))
	fallen := uint64(0)
	for _, counted := range []bool{false, true} {
		if s, err = b.coldEntries(c, 0, counted, args); err != nil {
			t.Fatal(err)
		}
		t.Logf("counters: %v, %v\n%+v", s, s.ofCounters(), c.stats)
		expect(t, s, 2000, profiled, preempted, moved, sampled)
		fallen += c.stats.Fallen
	}
	if fallen == 0 {
		t.Error("no function has fallen that has a counter")
	}
}
