package coverprofile

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/goprofinstr/goprofinstr/export/profiledir"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
)

func TestAssign(t *testing.T) {
	const own = " -test.paniconexit0 -test.timeout=10m0s"
	tests := []struct {
		name  string
		tests string   // package under test and its binary, or "-"
		runs  []string // command line; packages; how it left, if it did by itself
		want  string   // numbers of runs for each test
	}{
		{"one", "m/a a.test", []string{"/b001/a.test" + own + "; m/a"}, "0:[0]"},
		{"none", "m/a a.test", nil, ""},
		{"as a command", "m/a a.test", []string{
			"/b001/a.test" + own + "; m/a m/b",
			"/tmp/bin/cmd -x; m/a m/b; in main",
			"/b001/a.test; m/a m/b; elsewhere",
			"/b001/a.test; m/a m/b",
		}, "0:[0 1 2]"},
		{"as a test", "m/a a.test", []string{
			"/b001/a.test" + own + "; m/a",
			"/b001/a.test -test.run=X; m/a; in main",
			"/b001/a.test" + own + " -test.run=X; m/a; in main",
			"/b001/a.test -test.run=X; m/a",
			"/b001/a.test -test.run=X; m/a; elsewhere",
			"/b001/a.test" + own + " -test.run=X; m/a; elsewhere",
		}, "0:[0 4 5]"},
		{"several", "m/a a.test, m/none -, m/b b.test", []string{
			"/b003/b.test" + own + "; m/b",
			"/b001/a.test" + own + "; m/a m/b",
			"/cmd; m/b; in main",
			"/cmd; m/a m/b; in main",
		}, "0:[1 3] 2:[0 2]"},
		{"equal names", "m/x/a a.test, m/y/a a.test, m/z/a a.test", []string{
			"/b005/a.test" + own + "; m/x/a m/y/a m/z/a",
			"/b001/a.test" + own + "; m/x/a",
			"/b003/a.test" + own + "; m/x/a m/y/a",
		}, "0:[1] 1:[2] 2:[0]"},
		{"linked with each other", "m/x/a a.test, m/y/a a.test", []string{
			"/b001/a.test" + own + "; m/x/a m/y/a",
			"/b003/a.test" + own + "; m/x/a m/y/a",
		}, "0:[0] 1:[1]"},
		{"linked with the same", "m/a a.test, m/b b.test", []string{ // b has external tests only, which import a
			"/b001/a.test" + own + "; m/a m/b",
			"/b003/b.test" + own + "; m/a m/b",
			"/b001/a.test; m/a m/b; elsewhere",
			"/cmd; m/a m/b; elsewhere",
		}, "0:[0 2] 1:[1 3]"},
		{"of another program", "m/a a.test", []string{"/tmp/prog; m/a; in main"}, ""},
		{"on windows", "m/a a.test", []string{"b001/a.test.exe" + own + "; m/a"}, "0:[0]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var plan Plan
			for i, text := range strings.Split(tt.tests, ", ") {
				pkg, binary, _ := strings.Cut(text, " ")
				plan.Packages = append(plan.Packages, Package{Path: pkg})
				plan.Tests = append(plan.Tests, Test{Package: pkg, Binary: strings.Trim(binary, "-"), Covers: []string{plan.Packages[i].Path}})
			}
			var runs []*rundata.Run
			for i, text := range tt.runs {
				line, packages, _ := strings.Cut(text, "; ")
				packages, exit, _ := strings.Cut(packages, "; ")
				exits := map[string]rundata.Exit{"in main": rundata.ExitMain, "elsewhere": rundata.ExitOther}
				r := &rundata.Run{Pid: i, Start: time.Unix(int64(i), 0), Args: strings.Fields(line), Exit: exits[exit]}
				for _, path := range strings.Fields(packages) {
					r.Packages = append(r.Packages, &rundata.Package{Path: path})
				}
				runs = append(runs, r)
			}
			var got []string
			assigned := plan.assign(runs)
			for i := range plan.Tests {
				if assigned[i] == nil {
					continue
				}
				var pids []int
				for _, r := range assigned[i] {
					pids = append(pids, r.Pid)
				}
				slices.Sort(pids)
				got = append(got, fmt.Sprintf("%d:%v", i, pids))
			}
			if diff := cmp.Diff(tt.want, strings.Join(got, " ")); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestNoArgs has runs without command lines, of which nobody can tell which test they are of.
func TestNoArgs(t *testing.T) {
	dir := t.TempDir()
	write := func(pid int, args ...string) {
		data, _ := rundata.Encode(&rundata.Run{Pid: pid, Args: args})
		if err := os.WriteFile(filepath.Join(dir, profiledir.RunFile(pid, 1, 0)), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(1)
	if _, err := readRuns(dir); err == nil || !strings.Contains(err.Error(), "GOPROFINSTR_ARGS") {
		t.Errorf("a run without a command line: %v", err)
	}
	write(2, "a.test")
	if runs, err := readRuns(dir); err != nil || len(runs) != 1 {
		t.Errorf("two runs, one with a command line: %d, %v", len(runs), err)
	}
}
