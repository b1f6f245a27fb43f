package main

import (
	"flag"
	"testing"
	"time"
)

var soak = flag.Duration("stepper.soak", 2*time.Second, "how long bursts are tried")

// prepareCopies builds a test that has counting copies.
func prepareCopies(t *testing.T, dir, path string) (*bench, *copiedProgram) {
	o := &options{work: t.TempDir(), goprofinstr: goprofinstr}
	b, err := o.prepare(&pkg{path: path, dir: copied(t, dir), copies: true})
	if err != nil {
		t.Fatal(err)
	}
	c, err := copyProgram(b.program, b.pkg)
	if err != nil {
		t.Fatal(err)
	}
	return b, c
}

// compareAlways runs a test in a burst that never ends. It has two threads at a time, a garbage collector that is always at work,
// and preemption by signals. So stacks are unwound, scanned, grown and shrunk that have return addresses in copies.
func compareAlways(t *testing.T, b *bench, c *copiedProgram, args ...string) comparison {
	r, err := b.always(c, args, "GOMAXPROCS=2", "GOGC=1", "GODEBUG=randautoseed=0")
	if err != nil {
		t.Fatal(err)
	}
	t.Log(r)
	for _, d := range r.differ {
		t.Errorf("counts differ: %s", d)
	}
	return r
}

// TestCopies counts the same test as TestSteps in copies that are part of the program.
func TestCopies(t *testing.T) {
	b, c := prepareCopies(t, "testdata/steps", "example.com/steps")
	if r := compareAlways(t, b, c, "-test.run=^Test$"); r.counted < 10 || r.seen < 5000 {
		t.Errorf("%d functions are counted, %d path ends", r.counted, r.seen)
	}
}

// TestStorm has panics of all kinds, defers, recovery, Goexit, coroutines, channels, callbacks, and stack traces, each of which has
// to be the same every time. Copies count all of it first, and then in bursts of random lengths.
func TestStorm(t *testing.T) {
	b, c := prepareCopies(t, "testdata/storm", "example.com/storm")
	if r := compareAlways(t, b, c, "-test.run=^Test$"); r.counted < 10 || r.seen < 100_000 {
		t.Errorf("%d functions are counted, %d path ends", r.counted, r.seen)
	}
	var seen int64
	for _, d := range []struct{ interval, length time.Duration }{
		{300 * time.Microsecond, 100 * time.Microsecond},
		{time.Millisecond, time.Millisecond},
	} {
		n, err := b.bursts(c, d.interval, d.length, []string{"-test.run=^Test$", "-for=" + soak.String()},
			"GOMAXPROCS=2", "GOGC=5", "GODEBUG=randautoseed=0")
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("bursts of %v after %v saw %d path ends: %+v", d.length, d.interval, n, c.stats)
		if seen += n; c.stats.Lost > 0 {
			t.Errorf("%d records are lost", c.stats.Lost)
		}
	}
	if seen == 0 {
		t.Error("bursts saw nothing")
	}
}
