package integration

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/export/profiledir"
)

var wine = flag.String("wine", "", "run programs for Windows by this Wine")

// TestTerminated ends a program for Windows in all ways. Its counters are copied to its run file: however it exits they are all
// there. If it is terminated, all are there that it had counted a while before. A Wine is needed to run it: .ci/wine/run has one.
func TestTerminated(t *testing.T) {
	if *wine == "" {
		t.Skip("needs Wine: -wine")
	}
	dir := copySparse(t, "terminated")
	program := filepath.Join(dir, "program.exe")
	t.Setenv("GOOS", "windows")
	t.Setenv("GOARCH", "amd64")
	t.Setenv("CGO_ENABLED", "0")
	for _, mode := range [][]string{{"-mode=exact"}, {"-mode=exact", "-atomic"}} {
		run(t, dir, goprofinstr, slices.Concat([]string{"wrap"}, mode, []string{"go", "build", "-o", program, "."})...)
		for _, end := range []string{"return", "exit", "panic", "deadlock", "busy", "idle"} {
			t.Run(mode[len(mode)-1]+" "+end, func(t *testing.T) {
				data := t.TempDir()
				runByWine(t, program, end, data)
				checkTerminated(t, data, end)
			})
		}
	}
	// A file on another machine is not mapped. Wine takes a folder for a drive there.
	data := t.TempDir()
	if err := os.Symlink(data, filepath.Join(os.Getenv("WINEPREFIX"), "dosdevices", "y:")); err != nil {
		t.Fatal(err)
	}
	run(t, dir, *wine, "reg", "add", `HKLM\Software\Wine\Drives`, "/v", "y:", "/d", "network", "/f")
	for _, end := range []string{"return", "exit"} {
		t.Run("another machine, "+end, func(t *testing.T) {
			runByWine(t, program, end, `Y:\`+end)
			checkTerminated(t, filepath.Join(data, end), end)
		})
	}
}

// checkTerminated checks what a program has counted that has ended in a way.
func checkTerminated(t *testing.T, data, end string) {
	t.Helper()
	p, err := profile.Load(data)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Runs) != 1 || p.Runs[0].Lost != 0 {
		t.Errorf("runs: %+v", p.Runs)
	}
	if got, want := pathCounts(p, "early"), []int64{10_000, 20_000}; !slices.Equal(got, want) {
		t.Errorf("early: %d counted, want %d", got, want)
	}
	got := pathCounts(p, "sparse")
	if want := []int64{10_000, 10_000, 10_000, 10_000, 10_000, 10_000, 10_000}; !slices.Equal(got[max(0, len(got)-7):], want) {
		t.Errorf("sparse: %d counted, want %d", got, want)
	}
	if got := pathCounts(p, "late"); (end == "busy") != (len(got) == 1) {
		t.Errorf("late: %d counted", got)
	}
}

// runByWine runs a program for Windows that writes its data to a folder, and ends in a way.
func runByWine(t *testing.T, program, end, data string) {
	t.Helper()
	cmd := exec.Command(*wine, program, end)
	cmd.Env = append(os.Environ(), profiledir.Var+"="+data)
	out, err := cmd.CombinedOutput()
	t.Logf("%v: %s", err, out)
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) || (err == nil) != (end == "return") {
		t.Fatal(err)
	}
}
