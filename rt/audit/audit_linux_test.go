//go:build amd64 || arm64 || riscv64

package audit_test

import (
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/goprofinstr/goprofinstr/rt"
	"github.com/goprofinstr/goprofinstr/rt/audit"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
)

// call is what a dispatcher does.
func call(a *audit.Audit, f func(version rt.U)) {
	if v := a.Settled(); v >= 0 {
		f(rt.U(v))
		return
	}
	var t audit.Timing
	defer t.End()
	v := t.Begin(a)
	t.Start()
	f(v)
	t.Stop()
}

// follow returns the only audit of the only run file in a folder.
func follow(t *testing.T, dir string) (*rundata.Follower, *rundata.Audit) {
	t.Helper()
	names, _ := filepath.Glob(filepath.Join(dir, "run.*.gpi"))
	if len(names) != 1 {
		t.Fatalf("%d run files", len(names))
	}
	f, err := rundata.Follow(names[0])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	if err := f.Poll(); err != nil {
		t.Fatal(err)
	}
	if len(f.Audits) != 1 {
		t.Fatalf("%d audits", len(f.Audits))
	}
	return f, f.Audits[0]
}

// drain returns how many timings of each version are new.
func drain(t *testing.T, f *rundata.Follower, a *rundata.Audit) []int {
	t.Helper()
	if err := f.Poll(); err != nil {
		t.Fatal(err)
	}
	n := make([]int, len(a.Versions))
	if err := a.Drain(false, func(version int, ticks uint64) { n[version]++ }); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestAudit has a watcher follow calls that return, panic, come from several goroutines, and are more than the ring holds.
func TestAudit(t *testing.T) {
	dir := t.TempDir()
	defer runfile.StartIn(dir)()
	a := new(audit.Audit)
	call(a, func(v rt.U) {
		if v != 0 {
			t.Errorf("version %d before there is an audit", v)
		}
	})
	audit.RegisterAudit(a, "p.F\x00F\x00fB\x00fC\x00", 3)
	f, followed := follow(t, dir)
	if followed.Function != "p.F" || !slices.Equal(followed.Versions, []string{"F", "fB", "fC"}) {
		t.Fatalf("%s %q", followed.Function, followed.Versions)
	}

	picked := make([]int, 3)
	for range 3000 {
		call(a, func(v rt.U) { picked[v]++ })
	}
	if got := drain(t, f, followed); !slices.Equal(got, picked) {
		t.Errorf("timings %v of calls %v", got, picked)
	}
	for v, n := range picked {
		if n < 850 || n > 1150 { // 5.8 standard deviations
			t.Errorf("version %d was picked %d times of 3000", v, n)
		}
	}

	panicked := make([]uint64, 3)
	for range 50 {
		func() {
			defer func() { recover() }()
			call(a, func(v rt.U) { panicked[v]++; panic("deliberate") })
		}()
	}
	if got := drain(t, f, followed); !slices.Equal(got, []int{0, 0, 0}) || !slices.Equal(followed.Panicked, panicked) {
		t.Errorf("timings %v of panics %v, counted as %v", got, panicked, followed.Panicked)
	}

	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 5000 {
				call(a, func(rt.U) {})
			}
		})
	}
	wg.Wait()
	if got := drain(t, f, followed); got[0]+got[1]+got[2] != 20_000 || followed.Lost != 0 {
		t.Errorf("%v of 20000 timings, %d lost", got, followed.Lost)
	}

	for range audit.AuditSlots + 1000 {
		call(a, func(rt.U) {})
	}
	if got := drain(t, f, followed); got[0]+got[1]+got[2] != audit.AuditSlots || followed.Lost != 1000 {
		t.Errorf("%v timings, %d lost; want %d and 1000", got, followed.Lost, audit.AuditSlots)
	}

	if err := followed.Settle(2); err != nil {
		t.Fatal(err)
	}
	for range 100 {
		call(a, func(v rt.U) {
			if v != 2 {
				t.Fatalf("version %d after version 2 was settled on", v)
			}
		})
	}
	if got := drain(t, f, followed); !slices.Equal(got, []int{0, 0, 0}) {
		t.Errorf("timings %v after that", got)
	}
	if followed.Nanosecond <= 0 || followed.Least < 0 {
		t.Errorf("%v ticks in a ns, at least %v", followed.Nanosecond, followed.Least)
	}
}
