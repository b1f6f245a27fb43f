package integration

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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
	sampled := []string{"-mode", "sampled", "-cpu-budget", "100", "-period", "4ms", "-backend"}
	for _, mode := range []struct {
		name  string
		flags []string
	}{
		{"native", append(slices.Clone(sampled), "native")},
		{"portable", append(slices.Clone(sampled), "portable")},
		{"stratified", []string{"-mode", "stratified"}},
		{"messages", []string{"-mode", "stratified", "-count-up-to", "0"}},
	} {
		t.Run(mode.name, func(t *testing.T) {
			program := filepath.Join(dir, mode.name+".exe")
			args := append(append([]string{"wrap"}, mode.flags...), "go", "build", "-o", program, ".")
			run(t, dir, goprofinstr, args...)
			file := startProgram(t, program, "1000000000")
			poller, tables := new(rundata.Poller), new(profile.Tables)
			live, kept := profile.NewLive(tables), make(map[string][]byte)
			poller.Keep = func(table []byte) []byte {
				if kept[string(table)] == nil {
					kept[string(table)] = table
				}
				return kept[string(table)]
			}
			samples := uint64(0)
			for range 3 {
				samples = waitForSamples(t, file, samples)
				f, whole := snapshotOf(t, file)
				compareLive(t, f, whole, poller, live, tables)
			}
		})
	}
}

// waitForSamples waits until a sampled program has had more windows or counts, of which it returns the number.
func waitForSamples(t *testing.T, file string, more uint64) uint64 {
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
		if n := samplesOf(&p); n > more {
			return n
		}
	}
}

// samplesOf returns how many windows a run has had, or else how much it has counted.
func samplesOf(p *rundata.Poller) (n uint64) {
	if p.Run.Sampling != nil {
		return p.Run.Sampling.Windows
	}
	for i := range p.Packages {
		for _, e := range p.Packages[i].Counters {
			n += e.N
		}
	}
	return n
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

// snapshotOf returns a copy of a run file, and the run in it. Words of the copy are whole: what is read ends at a page.
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
