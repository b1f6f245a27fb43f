package main

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/goprofinstr/goprofinstr/internal/longtest"
	"github.com/goprofinstr/goprofinstr/rewrite/copies"
	rtcopies "github.com/goprofinstr/goprofinstr/rt/copies"
)

// TestCgo has C code call back, in threads of Go and of C. Copies count all of it first, and then some of it, in bursts and in
// windows. The program compares what it does each time, and C checks that no variable of its threads has changed.
func TestCgo(t *testing.T) {
	longtest.Skip(t)
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("no C compiler")
	}
	t.Setenv("CGO_ENABLED", "1")
	b, c := prepareCopies(t, "testdata/cgo", "example.com/cgo")
	if c.copies.Words == 0 {
		t.Fatal("the program has no C code")
	}
	args := []string{"-test.run=^Test$"}
	if r := compareAlways(t, b, c, args...); r.counted < 10 || r.seen < 70_000 {
		t.Errorf("%d functions are counted, %d path ends", r.counted, r.seen)
	}
	args = append(args, "-for="+soak.String())
	callBackStressed(t, b, c, args)
	n, err := b.bursts(c, 300*time.Microsecond, 100*time.Microsecond, args, stressed...)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("bursts saw %d path ends: %+v", n.ends(), c.stats)
	if n.ends() == 0 || c.stats.Lost > 0 {
		t.Error("bursts saw nothing, or lost records")
	}
	if _, err := b.estimates(c, args, stressed...); err != nil {
		t.Fatal(err)
	}
	t.Logf("windows: %+v", c.stats)
	if c.stats.Bursts == 0 || c.stats.Records == 0 || c.stats.Lost > 0 {
		t.Error("windows saw nothing, or lost records")
	}
}

// callBackStressed has copies count all while goroutines make room for others all the time. A callback that did so with the
// decoder's lock held had its thread wait for ever: in 6 runs of 12 that took 2 s.
func callBackStressed(t *testing.T, b *bench, c *copiedProgram, args []string) {
	traced, counters := filepath.Join(b.work, "copied.test"), filepath.Join(b.work, "counters")
	if err := c.write(b.labelled, traced, counters, copies.Settings{Mode: rtcopies.Always}); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	cmd := b.pkg.command(traced, args, stressed...)
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	end := time.AfterFunc(*soak+2*time.Minute, func() { cmd.Process.Kill() })
	err := cmd.Wait()
	if !end.Stop() {
		t.Fatalf("the program came to no end\n%s", ends(out.Bytes(), 4000))
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, ends(out.Bytes(), 4000))
	}
	if _, err := c.read(counters); err != nil || c.stats.Records == 0 || c.stats.Lost > 0 {
		t.Errorf("%v; %+v", err, c.stats)
	}
}

// TestCgoCold is TestCgo where functions begin cold. Threads of C give back their logs when they end.
func TestCgoCold(t *testing.T) {
	longtest.Skip(t)
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("no C compiler")
	}
	t.Setenv("CGO_ENABLED", "1")
	o := &options{work: t.TempDir(), goprofinstr: goprofinstr, interval: time.Millisecond, length: 100 * time.Microsecond}
	b, err := o.prepare(&pkg{path: "example.com/cgo", dir: copied(t, "testdata/cgo"), copies: true, whole: true, cold: true})
	if err != nil {
		t.Fatal(err)
	}
	c, err := copyProgram(b.program, b.pkg)
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"-test.run=^Test$"}
	c.bound = 1 << 40 // none falls
	r, err := b.hold(c, b.coldly(), args, stressed...)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%v\n%+v", r, c.stats)
	for _, d := range r.differ {
		t.Errorf("counts differ: %s", d)
	}
	if r.counted < 10 || r.fallen > 0 || r.seen < 70_000 {
		t.Errorf("%d functions are counted, %d have fallen, %d path ends", r.counted, r.fallen, r.seen)
	}
	args = append(args, "-for="+soak.String())
	for _, c.bound = range []uint64{1 << 40, defaultBound} {
		if _, err := b.count(c, b.coldly(), args, stressed...); err != nil {
			t.Fatal(err)
		}
		t.Logf("bound %d: %+v", c.bound, c.stats)
		if c.stats.Cold == 0 || c.stats.Lost > 0 {
			t.Error("nothing is counted, or records are lost")
		}
	}
	if _, err := b.estimates(c, args, stressed...); err != nil {
		t.Fatal(err)
	}
	t.Logf("windows: %+v", c.stats)
	if c.stats.Bursts == 0 || c.stats.Lost > 0 {
		t.Error("windows saw nothing, or lost records")
	}
}
