package integration

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/goprofinstr/goprofinstr/export/fleet/follow"
	"github.com/goprofinstr/goprofinstr/export/fleet/tally"
	"github.com/goprofinstr/goprofinstr/export/profile"
)

var followRuns = flag.Int("follow.runs", 2, "runs that TestFollow follows in each mode; every second one is killed")

// TestFollow follows programs that end or are killed: what was counted between two polls adds up to what the profile of the run
// has.
func TestFollow(t *testing.T) {
	dir := copyProgram(t, "followed")
	for _, mode := range []struct {
		name  string
		flags []string
	}{
		{"exact", []string{"-mode", "exact"}},
		{"atomic", []string{"-mode", "exact", "-atomic"}},
		{"sampled", []string{"-mode", "sampled"}},
		{"stratified", []string{"-mode", "stratified", "-count-up-to", "0"}},
	} {
		t.Run(mode.name, func(t *testing.T) {
			if mode.name == "exact" { // without -atomic counts shrink where goroutines are interrupted in the middle of counting
				t.Setenv("GOMAXPROCS", "1")
				t.Setenv("GODEBUG", "asyncpreemptoff=1")
			}
			program := filepath.Join(dir, mode.name+".exe")
			args := append(append([]string{"wrap"}, mode.flags...), "go", "build", "-o", program, ".")
			run(t, dir, goprofinstr, args...)
			r := rand.New(rand.NewPCG(1, 2))
			polls := 0
			for i := range *followRuns {
				kill := 0
				if i%2 == 1 {
					kill = 1 + r.IntN(5)
				}
				polls += followOne(t, program, kill)
			}
			t.Logf("%d polls with something new", polls)
		})
	}
}

// followOne runs a program, which it kills at some poll, and follows it to its end.
func followOne(t *testing.T, program string, kill int) (polls int) {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.Command(program, "600000")
	cmd.Env = append(os.Environ(), "GOPROFINSTR_DIR="+dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	f := follow.New(follow.Options{Dirs: []string{dir}, Contexts: true})
	sum := &tally.Tally{}
	var of *follow.Run
	for of == nil || !of.Ended {
		poll := f.Track
		if polls%4 == 3 {
			poll = f.Poll // for a request in between
		}
		for _, of = range poll() {
			if of.Err != nil {
				t.Fatal(of.Err)
			}
			delta, err := of.Delta()
			if err == nil {
				err = sum.Add(delta)
			}
			if err != nil {
				t.Fatal(err)
			}
			if polls++; polls == kill {
				cmd.Process.Kill()
			}
		}
	}
	if err := <-ended; (err != nil) != (kill > 0) && kill == 0 {
		t.Fatal(err)
	}
	if n := of.Over(); n > 0 {
		t.Errorf("deltas have %d more than the run", n)
	}
	compareSums(t, sum, f, dir)
	return polls
}

// compareSums holds the sum of deltas against the profile of the directory.
func compareSums(t *testing.T, sum *tally.Tally, f *follow.Follower, dir string) {
	t.Helper()
	got, err := sum.Profile(f.Tables())
	if err != nil {
		t.Fatal(err)
	}
	want := allCounts(load(t, dir))
	have := allCounts(got)
	for path, n := range want {
		if have[path] != n {
			t.Errorf("%s: deltas add up to %d, the profile has %d", path, have[path], n)
		}
	}
	for path, n := range have {
		if _, ok := want[path]; !ok {
			t.Errorf("%s: deltas add up to %d, and the profile has none", path, n)
		}
	}
}

// allCounts returns the executions of all paths, entries and abandoned activations, and CPU time by path and by stack.
func allCounts(p *profile.Profile) map[string]int64 {
	counts := make(map[string]int64)
	for _, f := range p.Functions() {
		for _, path := range f.Paths {
			if path.Count == 0 { // a profile of deltas has what time was spent on, too, if it was never counted
				continue
			}
			counts[fmt.Sprintf("%s#%d", f.Table.Name, path.ID)] = path.Count
			if path.Time > 0 {
				counts[fmt.Sprintf("%s#%d time", f.Table.Name, path.ID)] = path.Time
			}
		}
		if f.Certainty() == profile.HowOften {
			counts[f.Table.Name+" entries"] = f.Entries
			counts[f.Table.Name+" abandoned"] = f.Abandoned
		}
	}
	for _, c := range p.Contexts {
		if c.Time > 0 {
			counts[fmt.Sprint("time in ", c.Stack(), c.GoroutineLabels())] += c.Time
		}
	}
	return counts
}
