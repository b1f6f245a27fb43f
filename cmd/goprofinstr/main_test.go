package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/cli"
	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain makes the test binary the command: scripts run it as goprofinstr, and as gpi.
func TestMain(m *testing.M) {
	command := func() { os.Exit(cli.Main(os.Args[1:])) }
	testscript.Main(m, map[string]func(){"goprofinstr": command, "gpi": command})
}

// TestScript runs the scripts in testdata/script, each with a little module of its own.
func TestScript(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	// The scripts share the build cache, without which each would compile the standard library.
	cache := strings.Fields(goEnv(t, "GOCACHE", "GOMODCACHE", "GOROOT"))
	bin := filepath.Join(cache[2], "bin")
	settings := []string{
		"GOCACHE=" + cache[0], "GOMODCACHE=" + cache[1], "GOTOOLCHAIN=local", "GOPROXY=off",
		// Go vet is a tenth of the CPU time. Scripts for whose subject it may matter set GOFLAGS.
		"GOFLAGS=-buildvcs=false -vet=off",
		"GOGC=400", // A seventh of the CPU time were collections in compilers, linkers and go list.
	}
	warm := warmCache(t, settings)
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(env *testscript.Env) error {
			env.Vars = append(env.Vars, settings...)
			env.Setenv("PATH", bin+string(os.PathListSeparator)+env.Getenv("PATH"))
			env.Setenv("XDG_CACHE_HOME", filepath.Join(env.WorkDir, ".cache"))
			env.Setenv("REALGO", filepath.Join(bin, "go"))
			return os.CopyFS(filepath.Join(env.WorkDir, ".cache"), os.DirFS(warm))
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"hotcall": hotCall, "snapshot": snapshot, "kept": kept, "await": await,
			"samestatements": sameStatements, "samelines": sameLines, "samepercent": samePercent,
			"samemeta": sameMeta, "samesums": sameSums, "doubled": doubled,
		},
		Condition: condition,
	})
}

// hotCall is the command `hotcall FILE CALLER START CALLEE LINE` of scripts. It writes a profile with one call, on
// a line of a function that starts on line START.
func hotCall(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 5 {
		ts.Fatalf("usage: hotcall FILE CALLER START CALLEE LINE")
	}
	number := func(s string) int64 {
		n, err := strconv.ParseInt(s, 10, 64)
		ts.Check(err)
		return n
	}
	caller := &profile.Function{ID: 1, Name: args[1], StartLine: number(args[2])}
	callee := &profile.Function{ID: 2, Name: args[3], StartLine: 1}
	at := &profile.Location{ID: 1, Line: []profile.Line{{Function: caller, Line: number(args[4])}}}
	leaf := &profile.Location{ID: 2, Line: []profile.Line{{Function: callee, Line: 2}}}
	p := &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}},
		Function:   []*profile.Function{caller, callee},
		Location:   []*profile.Location{at, leaf},
		Sample:     []*profile.Sample{{Location: []*profile.Location{leaf, at}, Value: []int64{100}}},
	}
	f, err := os.Create(ts.MkAbs(args[0]))
	ts.Check(err)
	ts.Check(p.Write(f))
	ts.Check(f.Close())
}

// sameLines is the command `samelines FILE FILE` of scripts: two files have the same lines, in whatever order.
func sameLines(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: samelines FILE FILE")
	}
	lines := func(name string) []string {
		return slices.Sorted(strings.Lines(ts.ReadFile(name)))
	}
	if diff := cmp.Diff(lines(args[0]), lines(args[1])); diff != "" {
		ts.Fatalf("-%s +%s:\n%s", args[0], args[1], diff)
	}
}

func goEnv(t *testing.T, names ...string) string {
	t.Helper()
	out, err := exec.Command("go", append([]string{"env"}, names...)...).Output()
	if err != nil {
		t.Fatalf("go env: %v", err)
	}
	return string(out)
}
