package main

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"

	"github.com/goprofinstr/goprofinstr/internal/longtest"
	rtcopies "github.com/goprofinstr/goprofinstr/rt/copies"
)

var soak = flag.Duration("stepper.soak", time.Second, "how long bursts are tried")

// prepareCopies builds a test that has counting copies.
func prepareCopies(t *testing.T, dir, path string) (*bench, *copiedProgram) {
	return prepareCopiesFor(t, "", dir, path)
}

// prepareCopiesFor is prepareCopies for an architecture that is emulated, or for the machine's, which is "".
func prepareCopiesFor(t *testing.T, arch, dir, path string) (*bench, *copiedProgram) {
	o := &options{work: t.TempDir(), goprofinstr: goprofinstr, arch: arch}
	b, err := o.prepare(&pkg{path: path, dir: copied(t, dir), copies: true, whole: true, arch: arch})
	if err != nil {
		t.Fatal(err)
	}
	c, err := copyProgram(b.program, b.pkg)
	if err != nil {
		t.Fatal(err)
	}
	return b, c
}

// TestCopiesEmulated is TestCopies for another architecture, and counts storm in a burst that never ends and in others. Each
// instruction is one to the emulator, so that signals come between any two. It does so again where most jumps and calls do not
// reach.
func TestCopiesEmulated(t *testing.T) {
	longtest.Skip(t)
	for arch, emulator := range emulators {
		if _, err := exec.LookPath(emulator); err != nil {
			t.Skip(err)
		}
		b, c := prepareCopiesFor(t, arch, "testdata/steps", "example.com/steps")
		if r := compareAlways(t, b, c, "-test.run=^Test$"); r.counted < 30 || 4*r.in < 3*r.ends {
			t.Errorf("%s: %d functions are counted, %d path ends", arch, r.counted, r.seen)
		}
		b, c = prepareCopiesFor(t, arch, "testdata/storm", "example.com/storm")
		if r := compareAlways(t, b, c, "-test.run=^Test$", "-rounds=2"); r.counted < 10 || r.seen < 100_000 {
			t.Errorf("%s: %d functions are counted, %d path ends", arch, r.counted, r.seen)
		}
		inBursts(t, b, c)
		b.singly, b.pkg.reach = false, 300_000
		near, err := copyProgram(b.program, b.pkg)
		if err != nil {
			t.Fatal(err)
		}
		if more := len(near.copies.Code) - len(c.copies.Code); more < 10_000 {
			t.Errorf("%s: where jumps do not reach there are %d bytes of code more", arch, more)
		}
		compareAlways(t, b, near, "-test.run=^Test$", "-rounds=1")
		inBursts(t, b, near)
	}
}

// inBursts runs the storm in bursts, whose signals come between any two instructions.
func inBursts(t *testing.T, b *bench, c *copiedProgram) {
	b.singly = true
	n, err := b.bursts(c, 300*time.Microsecond, 100*time.Microsecond, []string{"-test.run=^Test$", "-rounds=2"}, stressed...)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: bursts saw %d path ends: %+v", b.pkg.arch, n.ends(), c.stats)
	if n.ends() == 0 || c.stats.Lost > 0 {
		t.Errorf("%s: bursts saw %d path ends, and %d records are lost", b.pkg.arch, n.ends(), c.stats.Lost)
	}
}

// compareAlways runs a test in a burst that never ends. It has two threads at a time, a garbage collector that is always at work,
// and preemption by signals. So stacks are unwound, scanned, grown and shrunk that have return addresses in copies.
func compareAlways(t *testing.T, b *bench, c *copiedProgram, args ...string) comparison {
	r, err := b.always(c, args, stressed...)
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
	if r := compareAlways(t, b, c, "-test.run=^Test$"); r.counted < 30 || 20*r.in < 19*r.ends {
		t.Errorf("%d functions are counted, %d path ends, and %d of %d are told", r.counted, r.seen, r.in, r.ends)
	}
}

// TestCallbacks has one function lead into its copy. All others are called from there: through registers, by other packages, by
// reflection, and by the runtime. None of these calls may leave copies.
func TestCallbacks(t *testing.T) {
	b, c := prepareCopies(t, "testdata/callbacks", "example.com/callbacks")
	c.leads = "example.com/callbacks.Test"
	if r := compareAlways(t, b, c, "-test.run=^Test$"); r.counted < 12 || r.seen < 100_000 {
		t.Errorf("%d functions are counted, %d path ends", r.counted, r.seen)
	}
}

// profiles are the kinds of profiles that a test binary writes.
var profiles = []string{"cpu", "mem", "block", "mutex"}

// checkProfile makes sure that a profile knows all of its functions, and has no address of a copy.
func checkProfile(t *testing.T, c *copiedProgram, name string) {
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := profile.Parse(f)
	if err != nil {
		t.Fatalf("%s: %v", filepath.Base(name), err)
	}
	for _, l := range p.Location {
		in := l.Address >= c.copies.Base && l.Address < c.copies.Base+uint64(len(c.copies.Code))
		if in || len(l.Line) == 0 && l.Mapping != nil && l.Mapping.Start < c.copies.Base {
			t.Errorf("%s has %#x, which is of no function", filepath.Base(name), l.Address)
		}
	}
	if len(p.Sample) == 0 && strings.HasSuffix(name, "cpu") {
		t.Errorf("%s is empty", filepath.Base(name))
	}
}

// TestStorm has panics of all kinds, defers, recovery, Goexit, coroutines, channels, callbacks, and stack traces, each of
// which has to be the same every time. Copies count all of it first, and then in bursts of random lengths.
func TestStorm(t *testing.T) {
	b, c := prepareCopies(t, "testdata/storm", "example.com/storm")
	if r := compareAlways(t, b, c, "-test.run=^Test$"); r.counted < 10 || r.seen < 100_000 {
		t.Errorf("%d functions are counted, %d path ends", r.counted, r.seen)
	}
	usesCX := func(o rtcopies.Origin) bool { return o.At>>rtcopies.KindShift == rtcopies.NotingCX }
	if !slices.ContainsFunc(c.copies.Origins, usesCX) {
		t.Error("no record uses CX")
	}
	var seen int64
	for _, d := range []struct{ interval, length time.Duration }{
		{300 * time.Microsecond, 100 * time.Microsecond},
		{time.Millisecond, time.Millisecond},
	} {
		args := []string{"-test.run=^Test$", "-for=" + soak.String(), "-test.trace=" + filepath.Join(b.work, "trace")}
		for _, kind := range profiles {
			args = append(args, "-test."+kind+"profile="+filepath.Join(b.work, kind))
		}
		n, err := b.bursts(c, d.interval, d.length, args, stressed...)
		if err != nil {
			t.Fatal(err)
		}
		for _, kind := range profiles {
			checkProfile(t, c, filepath.Join(b.work, kind))
		}
		t.Logf("bursts of %v after %v saw %d path ends: %+v", d.length, d.interval, n.ends(), c.stats)
		if seen += n.ends(); c.stats.Lost > 0 {
			t.Errorf("%d records are lost", c.stats.Lost)
		}
	}
	if seen == 0 {
		t.Error("bursts saw nothing")
	}
	all, err := b.estimates(c, []string{"-test.run=^Test$", "-for=" + soak.String()}, stressed...)
	if err != nil {
		t.Fatal(err)
	}
	var sum float64
	for _, of := range all {
		for _, n := range of {
			sum += n
		}
	}
	t.Logf("windows stand for %.0f path ends: %+v", sum, c.stats)
	if c.stats.Bursts == 0 || c.stats.Drained == 0 || c.stats.Switched == 0 || sum == 0 || c.stats.Lost > 0 {
		t.Error("windows saw nothing, or lost records")
	}
}
