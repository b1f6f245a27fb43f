package integration

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/goprofinstr/goprofinstr/export/fleet/tally"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
)

// TestLive reads snapshots of the file of a sampled program that goes on, in both ways: as a whole, and as it is polled. The
// estimates are the same, and so is what is said to be sure of them.
func TestLive(t *testing.T) {
	dir := copyProgram(t, "followed")
	for _, backend := range []string{"native", "portable"} {
		t.Run(backend, func(t *testing.T) {
			program := filepath.Join(dir, backend+".exe")
			run(t, dir, goprofinstr, "wrap", "-mode", "sampled", "-backend", backend, "-cpu-budget", "100", "-period", "4ms",
				"go", "build", "-o", program, ".")
			file := startProgram(t, program, "1000000000")
			poller, tables := new(rundata.Poller), new(profile.Tables)
			live, kept := profile.NewLive(tables), make(map[string][]byte)
			poller.Keep = func(table []byte) []byte {
				if kept[string(table)] == nil {
					kept[string(table)] = table
				}
				return kept[string(table)]
			}
			windows := uint64(0)
			for range 3 {
				windows = waitForWindows(t, file, windows)
				f, whole := snapshotOf(t, file)
				compareLive(t, f, whole, poller, live, tables)
			}
		})
	}
}

// waitForWindows waits until a sampled program has had more windows, of which it returns the number.
func waitForWindows(t *testing.T, file string, more uint64) uint64 {
	t.Helper()
	var p rundata.Poller
	for {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		err = p.Poll(f)
		f.Close()
		if err != nil && !errors.Is(err, rundata.ErrEmpty) {
			t.Fatal(err)
		}
		if s := p.Run.Sampling; s != nil && s.Windows > more {
			return s.Windows
		}
	}
}

// startProgram starts an instrumented program, which is killed with the test, and returns its run file.
func startProgram(t *testing.T, program string, args ...string) (file string) {
	t.Helper()
	data := t.TempDir()
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), "GOPROFINSTR_DIR="+data)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	for {
		if names, _ := filepath.Glob(filepath.Join(data, "run.*")); len(names) > 0 {
			return names[0]
		}
	}
}

// snapshotOf returns a copy of a run file, and the run in it. Words of the copy are whole: what is read ends at a page, where
// os.ReadFile reads a byte more, of a word that may change before the rest of it is read.
func snapshotOf(t *testing.T, file string) (*os.File, *rundata.Run) {
	t.Helper()
	from, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	info, err := from.Stat()
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(filepath.Join(t.TempDir(), "snapshot"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	if _, err := io.CopyN(f, from, info.Size()); err != nil {
		t.Fatal(err)
	}
	whole, err := rundata.ReadFile(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	return f, whole
}

// compareLive polls a snapshot, and holds the estimates against those of the whole run.
func compareLive(
	t *testing.T, f *os.File, whole *rundata.Run, poller *rundata.Poller, live *profile.Live, tables *profile.Tables,
) {
	t.Helper()
	if err := poller.Poll(f); err != nil {
		t.Fatal(err)
	}
	now, sure, err := tally.OfPoller(poller, live)
	if err != nil {
		t.Fatal(err)
	}
	wantNow, wantSure, err := tally.OfLive(whole, tables)
	if err != nil {
		t.Fatal(err)
	}
	if now.IsZero() || now.Packages[0].Size == 0 {
		t.Error("nothing was counted")
	}
	if diff := cmp.Diff(wantNow, now, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("estimates (-whole +polled):\n%s", diff)
	}
	if diff := cmp.Diff(wantSure, sure, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("what is sure (-whole +polled):\n%s", diff)
	}
}
