//go:build linux && amd64

package main

import (
	"flag"
	"testing"
	"time"
)

var kernel = flag.String("stepper.kernel", "",
	"run programs for arm64 in an emulated machine, too, whose kernel's Debian package was unpacked into this folder")

// onBoard builds a test with copies for arm64, and boots a machine for it.
func onBoard(t *testing.T, dir string, p *pkg) (*bench, *copiedProgram) {
	if *kernel == "" {
		t.Skip("-stepper.kernel is not given")
	}
	o := &options{work: t.TempDir(), goprofinstr: goprofinstr, arch: "arm64", kernel: *kernel,
		interval: 300 * time.Microsecond, length: 100 * time.Microsecond}
	p.dir, p.arch, p.copies, p.whole = copied(t, dir), o.arch, true, true
	b, err := o.prepare(p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.machine.Close)
	c, err := copyProgram(b.program, b.pkg)
	if err != nil {
		t.Fatal(err)
	}
	return b, c
}

// TestBoard counts steps and the storm in copies, on a kernel for arm64: in a burst that never ends, in bursts and in windows.
func TestBoard(t *testing.T) {
	b, c := onBoard(t, "testdata/steps", &pkg{path: "example.com/steps"})
	if r := compareAlways(t, b, c, "-test.run=^Test$"); r.counted < 30 || 4*r.in < 3*r.ends {
		t.Errorf("%d functions are counted, %d path ends", r.counted, r.seen)
	}
	b, c = onBoard(t, "testdata/storm", &pkg{path: "example.com/storm"})
	if r := compareAlways(t, b, c, "-test.run=^Test$", "-rounds=2"); r.counted < 10 || r.seen < 100_000 {
		t.Errorf("%d functions are counted, %d path ends", r.counted, r.seen)
	}
	sampleOnBoard(t, b, c)
}

// sampleOnBoard runs a test in bursts and in windows.
func sampleOnBoard(t *testing.T, b *bench, c *copiedProgram) {
	args := []string{"-test.run=^Test$", "-for=" + soak.String()}
	n, err := b.bursts(c, b.interval, b.length, args, stressed...)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("bursts saw %d path ends: %+v", n.ends(), c.stats)
	if n.ends() == 0 || c.stats.Lost > 0 {
		t.Errorf("bursts saw %d path ends, and %d records are lost", n.ends(), c.stats.Lost)
	}
	if _, err := b.estimates(c, args, stressed...); err != nil {
		t.Fatal(err)
	}
	t.Logf("windows: %+v", c.stats)
	if c.stats.Bursts == 0 || c.stats.Records == 0 || c.stats.Lost > 0 {
		t.Error("windows saw nothing, or lost records")
	}
}

// TestBoardCold has functions of the storm begin cold on a kernel for arm64, and fall there.
func TestBoardCold(t *testing.T) {
	b, c := onBoard(t, "testdata/storm", &pkg{path: "example.com/storm", cold: true})
	for _, c.bound = range []uint64{1 << 40, 10_000, 1} {
		r, err := b.hold(c, b.coldly(), []string{"-test.run=^Test$", "-rounds=2"}, stressed...)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("bound %d: %v\n%+v", c.bound, r, c.stats)
		for _, f := range r.differ {
			t.Errorf("bound %d: counts differ: %s", c.bound, f)
		}
		if fell := c.stats.Fallen > 0; fell != (c.bound < 1<<40) || c.stats.Cold == 0 || c.stats.Lost > 0 {
			t.Errorf("bound %d: %d functions have fallen", c.bound, c.stats.Fallen)
		}
	}
	sampleColdly(t, b, c)
	soakColdly(t, b, c)
}

// TestBoardLockstep holds copies against originals on a kernel for arm64, at one in some instructions of the test of steps.
func TestBoardLockstep(t *testing.T) {
	b, c := onBoard(t, "testdata/steps", &pkg{path: "example.com/steps"})
	b.steps, b.parts = 3, 32
	checkLockstep(t, b, c, 40)
}

// TestBoardSignals has signals come at each instruction of copies on a kernel for arm64, as TestSignals has.
func TestBoardSignals(t *testing.T) {
	b, c := onBoard(t, "testdata/storm", &pkg{path: "example.com/storm"})
	signalsIn(t, b, c)
}

// TestBoardSignalsCold is TestSignalsCold there.
func TestBoardSignalsCold(t *testing.T) {
	b, c := onBoard(t, "testdata/storm", &pkg{path: "example.com/storm", cold: true})
	coldSignalsIn(t, b, c)
}
