package main

import (
	"fmt"
	"os/exec"
	"testing"
	"time"

	"github.com/goprofinstr/goprofinstr/internal/longtest"
)

// TestCold has functions begin cold in the storm, with bursts between: the counts of those that never fall are exact mode's.
// Where none falls these are all, so that cold functions are left and entered by panics, coroutines, and goroutines that change
// threads. Where some fall, threads are in their copies, and come back to them.
func TestCold(t *testing.T) {
	o := &options{work: t.TempDir(), goprofinstr: goprofinstr}
	b, err := o.prepare(&pkg{path: "example.com/storm", dir: copied(t, "testdata/storm"), copies: true, whole: true, cold: true})
	if err != nil {
		t.Fatal(err)
	}
	c, err := copyProgram(b.program, b.pkg)
	if err != nil {
		t.Fatal(err)
	}
	b.interval, b.length = 300*time.Microsecond, 100*time.Microsecond
	for _, d := range []struct {
		bound   uint64
		fallen  bool
		counted int
		seen    int64
		sealed  string
	}{
		{1 << 40, false, 10, 8_000_000, "false"},
		{30_000, true, 1, 1_000, "false"},
		{1, true, 0, 0, "false"},
		{30_000, true, 0, 0, "true"},
	} {
		c.bound = d.bound
		r, err := b.hold(c, b.coldly(), []string{"-test.run=^Test$", "-sealed=" + d.sealed}, stressed...)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("bound %d: %v\n%+v", d.bound, r, c.stats)
		for _, f := range r.differ {
			t.Errorf("bound %d: counts differ: %s", d.bound, f)
		}
		if pages := c.stats.Pages > 0; pages != (d.sealed == "true") {
			t.Errorf("sealed %s: %d pages have fallen", d.sealed, c.stats.Pages)
		}
		if fallen := c.stats.Fallen > 0; fallen != d.fallen || r.counted < d.counted || r.seen < d.seen || c.stats.Lost > 0 {
			t.Errorf("bound %d: %d functions have fallen, %d are counted, %d path ends are", d.bound, c.stats.Fallen, r.counted, r.seen)
		}
	}
	sampleColdly(t, b, c)
	soakColdly(t, b, c)
}

// TestColdEmulated has functions of the storm begin cold for another architecture: the counts of those that never fall are exact
// mode's, and windows lose no record. Each instruction is one to the emulator where functions fall.
func TestColdEmulated(t *testing.T) {
	longtest.Skip(t)
	for arch, emulator := range emulators {
		if _, err := exec.LookPath(emulator); err != nil {
			t.Skip(err)
		}
		o := &options{work: t.TempDir(), goprofinstr: goprofinstr, arch: arch, interval: 300 * time.Microsecond, length: 100 * time.Microsecond}
		p := &pkg{path: "example.com/storm", dir: copied(t, "testdata/storm"), copies: true, whole: true, cold: true, arch: arch}
		b, err := o.prepare(p)
		if err != nil {
			t.Fatal(err)
		}
		c, err := copyProgram(b.program, b.pkg)
		if err != nil {
			t.Fatal(err)
		}
		args := []string{"-test.run=^Test$", "-rounds=2"}
		for _, c.bound = range []uint64{1 << 40, 10_000, 1} {
			b.singly = c.bound == 10_000
			r, err := b.hold(c, b.coldly(), args, stressed...)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%s, bound %d: %v\n%+v", arch, c.bound, r, c.stats)
			for _, f := range r.differ {
				t.Errorf("bound %d: counts differ: %s", c.bound, f)
			}
			if fell := c.stats.Fallen > 0; fell != (c.bound < 1<<40) || c.stats.Cold == 0 || c.stats.Lost > 0 || c.stats.Pages > 0 {
				t.Errorf("bound %d: %d functions have fallen, with %d pages", c.bound, c.stats.Fallen, c.stats.Pages)
			}
		}
		b.singly = false
		sampleColdly(t, b, c)
		soakColdly(t, b, c)
	}
}

// soakColdly has functions fall again and again, earlier and later, in processes of their own: bursts first, and then windows.
func soakColdly(t *testing.T, b *bench, c *copiedProgram) {
	runs, fallen, records := 0, uint64(0), uint64(0)
	for begin := time.Now(); time.Since(begin) < *soak; runs++ {
		c.bound = 1 << (runs % 20)
		args := []string{"-test.run=^Test$", "-rounds=4", fmt.Sprintf("-sealed=%v", runs%3 == 0)}
		var err error
		if runs%2 == 0 {
			_, err = b.count(c, b.coldly(), args, stressed...)
		} else {
			_, err = b.estimates(c, args, stressed...)
		}
		if err != nil || c.stats.Lost > 0 {
			t.Fatalf("run %d: %v, %d records are lost", runs, err, c.stats.Lost)
		}
		fallen, records = fallen+c.stats.Fallen, records+c.stats.Records
	}
	t.Logf("%d runs: %d functions have fallen, %d records", runs, fallen, records)
}

// sampleColdly samples in windows while functions begin cold: what stays cold has exact mode's counts, and not estimates.
func sampleColdly(t *testing.T, b *bench, c *copiedProgram) {
	args := []string{"-test.run=^Test$"}
	all, err := b.estimates(c, args, stressed...)
	if err != nil {
		t.Fatal(err)
	}
	exact, err := b.exactly(args, stressed...)
	if err != nil {
		t.Fatal(err)
	}
	seen := make(counts)
	for f, of := range all {
		seen[f] = make(map[uint64]int64)
		for id, n := range of[:len(of)-1] { // the last is that the path is not known
			seen[f][uint64(id)] = int64(n)
		}
	}
	r, err := c.compareAll(seen, exact)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("in windows: %v\n%+v", r, c.stats)
	for _, f := range r.differ {
		t.Errorf("in windows: counts differ: %s", f)
	}
	if r.fallen == 0 || r.counted == 0 || c.stats.Bursts == 0 {
		t.Errorf("%d functions have fallen, %d are counted, in %d windows", r.fallen, r.counted, c.stats.Bursts)
	}
}
