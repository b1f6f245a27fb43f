//go:build amd64 || arm64 || riscv64

package auditwatch

import (
	"os"
	"os/signal"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goprofinstr/goprofinstr/rt/audit"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
)

// call is what a dispatcher does.
func call(a *audit.Audit) {
	var t audit.Timing
	defer t.End()
	t.Begin(a)
	t.Start()
	t.Stop()
}

// TestUntil has this process be the audited one. It is asked to end when the time is over and all functions are open or
// decided, and not before.
func TestUntil(t *testing.T) {
	dir := t.TempDir()
	defer runfile.StartIn(dir)()
	f, g := new(audit.Audit), new(audit.Audit)
	audit.RegisterAudit(f, "p.F\x00F\x00fB\x00", 2)
	audit.RegisterAudit(g, "p.G\x00G\x00gB\x00", 2)
	w := New(dir, Options{Confidence: 0.99, Until: time.Now().Add(-time.Second), Functions: []string{"p.F", "p.G"}})
	w.live = true
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	goesOn := func(when string) {
		t.Helper()
		w.look(false)
		select {
		case <-w.Over():
			t.Fatalf("it is over %s", when)
		default:
		}
	}

	goesOn("before any function is called")
	call(f)
	goesOn("when one has hardly been timed")
	w.functions["p.F"].began = time.Now().Add(-watchWhenLate)
	goesOn("when one is not called")
	if settled := w.functions["p.F"].settled; settled != 0 {
		t.Errorf("the function that has been timed for long enough is settled on %d", settled)
	}
	call(g)
	goesOn("when the other has hardly been timed")
	w.functions["p.G"].began = time.Now().Add(-watchWhenLate)
	w.look(false)
	<-w.Over()
	<-interrupts
	w.live = false
	if !w.Finish() {
		t.Error("it was not ended by us")
	}
}

// A function that does not return is settled when one of its loops is.
func TestUntilInLoop(t *testing.T) {
	loop := &auditedFunction{settled: -1}
	f := &auditedFunction{settled: -1, loops: []*auditedFunction{loop}}
	w := New(t.TempDir(), Options{Functions: []string{"p.F"}})
	w.functions["p.F"] = f
	for _, test := range []struct {
		loop   int
		called bool
		want   bool
	}{{-1, false, false}, {0, false, true}, {0, true, false}} {
		loop.settled, f.began = test.loop, time.Time{}
		if test.called {
			f.began = time.Now()
		}
		if got := w.allSettled(); got != test.want {
			t.Errorf("%+v: %t", test, got)
		}
	}
}

// With Stop programs end when all that is audited is settled. What is in a program that has not begun is not, and a loop that is
// timed may be open still.
func TestStop(t *testing.T) {
	w := New(t.TempDir(), Options{Stop: true, Functions: []string{"a.F", "b.G"}})
	w.live = true
	add := func(name string) *auditedFunction {
		f := &auditedFunction{name: name, settled: -1, began: time.Now()}
		w.functions[name], w.order = f, append(w.order, f)
		return f
	}
	goesOn := func(when string) {
		t.Helper()
		if w.stopAll(); w.stopped {
			t.Fatalf("programs are told to end %s", when)
		}
	}

	goesOn("before any function is called")
	add("a.F").settled = 1
	goesOn("when the program of the other function has not begun")
	g := add("b.G")
	goesOn("when the other function is open")
	g.settled = 0
	loop := add("b.G loop")
	goesOn("when a loop is open")
	loop.began = time.Time{}
	w.stopAll()
	<-w.Over()
	if !w.stopped {
		t.Error("programs are not told to end")
	}
}

// Without an end, or before it, functions go on being timed.
func TestUntilLater(t *testing.T) {
	for _, until := range []time.Time{{}, time.Now().Add(time.Hour)} {
		w := New(t.TempDir(), Options{Until: until, Functions: []string{"p.F"}})
		if w.isOver(time.Minute) {
			t.Errorf("until %v: a function is over", until)
		}
	}
}

// TestOtherBuild has run files of two builds in a directory. What the second has of a function with other versions is left out.
func TestOtherBuild(t *testing.T) {
	two, three := "F\x00fB\x00", "F\x00fB\x00fC\x00"
	for _, builds := range [][]string{{two, three}, {three, two}} {
		dir := t.TempDir()
		for _, versions := range builds {
			stop := runfile.StartIn(dir)
			n := audit.U(strings.Count(versions, "\x00"))
			f, loop := new(audit.Audit), new(audit.Audit)
			audit.RegisterAudit(f, "p.F\x00"+versions, n)
			audit.RegisterLoop(loop, "p.F"+audit.LoopMark+versions[:1]+")\x00"+versions, n)
			call(f)
			stop()
		}
		w := New(dir, Options{Confidence: 0.99})
		w.Finish()
		found := w.Report(nil).Functions
		if w.Runs() != 2 || len(found) != 2 {
			t.Fatalf("%q: %d runs, %d functions; want 2 and 2", builds, w.Runs(), len(found))
		}
		var names []string
		calls := uint64(0)
		for _, v := range found[0].Versions {
			names, calls = append(names, v.Name), calls+v.Calls
		}
		if want := strings.Split(strings.TrimSuffix(builds[0], "\x00"), "\x00"); !slices.Equal(names, want) || calls != 1 {
			t.Errorf("%q: versions %q with %d calls, want %q with 1", builds, names, calls, want)
		}
	}
}
