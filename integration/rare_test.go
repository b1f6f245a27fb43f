package integration

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/export/profile"
)

// TestRareExact has portable probes count what is rare in several goroutines, beside a loop that is sampled: no path end is lost, also if the process is
// killed.
func TestRareExact(t *testing.T) {
	dir := copyProgram(t, "rare")
	for _, arg := range []string{"", "kill"} {
		args := []string{"wrap", "-mode", "sampled", "-backend", "portable", "-o", "of" + arg, "go", "run", "."}
		if arg != "" {
			args = append(args, arg)
		}
		cmd := exec.Command(goprofinstr, args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); (err != nil) != (arg == "kill") {
			t.Fatalf("%v\n%s", err, out)
		}
		functions := 0
		p := load(t, filepath.Join(dir, "of"+arg))
		for _, f := range p.Functions() {
			switch f.Table.Name[strings.LastIndexByte(f.Table.Name, '.')+1:] {
			case "rare":
				checkRare(t, f)
				functions++
			case "hot":
				functions++
				if f.Missed == nil {
					t.Error("the loop was not sampled")
				}
			}
		}
		if functions != 2 {
			t.Errorf("%d functions", functions)
		}
		if known := p.Unsettled() == ""; known != (arg == "") {
			t.Errorf("%q: unsettled: %q", arg, p.Unsettled())
		}
	}
}

// checkRare holds the counts of the function that is rare against what the program does.
func checkRare(t *testing.T, f *profile.Function) {
	t.Helper()
	const calls = 8 * 500
	sum := int64(0)
	for i := range f.Paths {
		path := &f.Paths[i]
		sum += path.Count
		if f.CertaintyOf(path) != profile.HowOften || path.Samples > 0 || path.Count != calls/5 && path.Count != calls*4/5 {
			t.Errorf("%s#%d: %d executions of %d or %d, from %d samples", f.Table.Name, path.ID, path.Count, calls/5, calls*4/5, path.Samples)
		}
	}
	if sum != calls {
		t.Errorf("%d calls, want %d", sum, calls)
	}
}
