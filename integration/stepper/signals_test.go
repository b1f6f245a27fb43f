//go:build linux && amd64

package main

import (
	"path/filepath"
	"testing"
)

// TestSignals has signals come at each instruction of copies that the storm executes: profiles, preemption, stacks that move,
// faults, and changes to copies and back. TestStorm has them come anywhere, and rarely where little is executed.
func TestSignals(t *testing.T) {
	b, c := prepareCopies(t, "testdata/storm", "example.com/storm")
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
