//go:build linux && (amd64 || arm64 || riscv64)

package audit_test

import (
	"testing"

	"github.com/goprofinstr/goprofinstr/rt"
	"github.com/goprofinstr/goprofinstr/rt/audit"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
)

// loop is a version with a timing point.
func loop(a *audit.Audit, version rt.U, iterations int, pass func()) {
	l := audit.Laps{Left: a.First}
	for range iterations {
		if l.Left--; l.Left == 0 {
			audit.Lap(a, version+1, &l)
		}
		pass()
	}
}

// followLaps returns the audit of the only point in a run file.
func followLaps(t *testing.T, dir string) (*rundata.Follower, *rundata.Audit) {
	t.Helper()
	f, a := follow(t, dir)
	if !a.Loop || a.Of != "p.F" || len(a.Versions) != 2 {
		t.Fatalf("audit %+v", a)
	}
	return f, f.Audits[0]
}

func TestLap(t *testing.T) {
	dir := t.TempDir()
	defer runfile.StartIn(dir)()
	a := new(audit.Audit)
	audit.RegisterLoop(a, "p.F"+audit.LoopMark+"7)\x00F\x00G\x00", 2)
	sink := 0
	work := func() {
		for i := range 3000 {
			sink += i * sink
		}
	}
	const calls, iterations = 4, 5000
	for call := range calls {
		loop(a, rt.U(call%2), iterations, work)
	}
	f, followed := followLaps(t, dir)
	passes, firsts, last := 0, 0, uint64(0)
	err := followed.DrainLaps(true, func(version int, l rundata.Lap) {
		if l.First {
			firsts++
		}
		if version != (firsts-1)%2 {
			t.Errorf("a lap of version %d in call %d", version, firsts)
		}
		if l.Passes < last || l.Passes&(l.Passes-1) != 0 || l.Ticks == 0 {
			t.Errorf("lap %+v after one of %d passes", l, last)
		}
		passes, last = passes+int(l.Passes), l.Passes
	})
	if err != nil {
		t.Fatal(err)
	}
	// What is left of each call's passes is less than a lap, and the first pass begins one.
	if firsts != calls || passes < calls*iterations/2 || passes > calls*(iterations-1) {
		t.Errorf("%d calls with %d passes, want %d with some %d", firsts, passes, calls, calls*iterations)
	}
	if err := f.Poll(); err != nil || followed.Calls[0] != 2 || followed.Calls[1] != 2 {
		t.Errorf("%v, calls %v", err, followed.Calls)
	}

	// When it is settled, nothing is timed.
	if err := followed.Settle(1); err != nil {
		t.Fatal(err)
	}
	loop(a, 1, iterations, work)
	if err := followed.DrainLaps(true, func(int, rundata.Lap) { t.Fail() }); err != nil {
		t.Fatal(err)
	}
	if t.Failed() {
		t.Error("laps after the audit was settled")
	}
}

// A point that brings no more timings than there are calls switches itself off.
func TestLapOff(t *testing.T) {
	dir := t.TempDir()
	defer runfile.StartIn(dir)()
	a := new(audit.Audit)
	audit.RegisterLoop(a, "p.F"+audit.LoopMark+"7)\x00F\x00G\x00", 2)
	for range 10_000 {
		loop(a, 0, 2, func() {})
	}
	_, followed := followLaps(t, dir)
	if followed.Calls[0] < 100 || followed.Calls[0] > 1000 || a.First < 1<<40 {
		t.Errorf("%d of 10,000 calls came by; the next would at pass %d", followed.Calls[0], a.First)
	}
}

// Without a run file there are no laps.
func TestLapAlone(t *testing.T) {
	defer runfile.StartIn("")()
	a := new(audit.Audit)
	audit.RegisterLoop(a, "p.F"+audit.LoopMark+"7)\x00F\x00G\x00", 2)
	loop(a, 0, 100, func() {})
	if a.First != 0 {
		t.Errorf("the first pass to be timed is %d", a.First)
	}
}
