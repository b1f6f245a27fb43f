package pgo

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/google/pprof/profile"

	"github.com/goprofinstr/goprofinstr/integration/eval/lab"
)

// profiledFor is how long each benchmark runs for a profile: 100 samples in the CPU profile.
const profiledFor = time.Second

// profileCPU writes the CPU profile of all selected benchmarks of a package.
func profileCPU(w *lab.Workshop, b *lab.Build, t *lab.Target, _ *lab.Mode, name string) error {
	if err := b.Failed[lab.Plain]; err != nil {
		return err
	}
	var all []*profile.Profile
	for _, j := range t.Jobs {
		if err := runOnce(w, b, t, j, b.Binaries[lab.Plain], "", "-test.cpuprofile="+name); err != nil {
			return err
		}
		p, err := readProfile(name)
		if err != nil {
			return err
		}
		all = append(all, p)
	}
	merged, err := profile.Merge(all)
	if err != nil {
		return err
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return merged.Write(f)
}

func readProfile(name string) (*profile.Profile, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return profile.Parse(f)
}

// profileCalls writes the calls that were counted in all selected benchmarks, or sampled with their contexts.
func profileCalls(w *lab.Workshop, b *lab.Build, t *lab.Target, m *lab.Mode, name string) error {
	dir, err := count(w, b, t, m)
	if err != nil {
		return err
	}
	return lab.GoCommand(b.Dir, w.Goprofinstr, "export", "-format", "pgo", "-o", name, dir)
}

// profileBoth writes the calls that were counted, with those that are in a CPU profile only.
func profileBoth(w *lab.Workshop, b *lab.Build, t *lab.Target, m *lab.Mode, name string) error {
	dir, err := count(w, b, t, m)
	if err != nil {
		return err
	}
	cpu := name + ".cpu"
	defer os.Remove(cpu)
	if err := profileCPU(w, b, t, m, cpu); err != nil {
		return err
	}
	if err := os.RemoveAll(name); err != nil { // that of another package, which would stay if it were much the same
		return err
	}
	return lab.GoCommand(b.Dir, w.Goprofinstr, "pgo", "-o", name, "-cpu", cpu, dir)
}

// count runs all selected benchmarks of a package as the mode counts, and returns the profile directory.
func count(w *lab.Workshop, b *lab.Build, t *lab.Target, m *lab.Mode) (dir string, err error) {
	counting := w.Binary(t, m) + ".counting"
	defer os.Remove(counting)
	if err := lab.GoCommand(b.Dir, m.BuildCommand(w.Goprofinstr, t, counting)...); err != nil {
		return "", err
	}
	dir = filepath.Join(w.Scratch, "counted")
	if err := os.RemoveAll(dir); err != nil {
		return "", err
	}
	for _, j := range t.Jobs {
		if err := runOnce(w, b, t, j, counting, dir); err != nil {
			return "", err
		}
	}
	return dir, nil
}

// runOnce runs a benchmark for the sake of what is recorded.
func runOnce(w *lab.Workshop, b *lab.Build, t *lab.Target, j lab.Job, binary, dir string, more ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), lab.Timeout)
	defer cancel()
	out, err := w.Bench(b, t, j).Command(ctx, []string{binary}, profiledFor.String(), dir, more...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %v\n%s", filepath.Base(binary), err, lab.LastLines(out))
	}
	return nil
}
