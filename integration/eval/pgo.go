package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/google/pprof/profile"
)

// What the compiler makes of profiles: the same benchmarks built with none, with a CPU profile of themselves, and with the calls that goprofinstr has counted in
// them, with and without the targets of calls through interfaces and function values. Test files are instrumented, too, for they have the calls that a benchmark is about. Only the packages that are instrumented are compiled with the profile,
// in both cases: CPU profiles know of others, too, and -pgo would compile the standard library anew for each.

// Profiles that test binaries are built with.
const (
	cpuProfile   = "cpu"
	callsProfile = "calls"
)

// Modes of -experiment pgo.
const pgoModes = "pgo-cpu,pgo-calls"

// profiledFor is how long each benchmark runs for a profile: 100 samples in the CPU profile.
const profiledFor = time.Second

// buildWithProfile builds the test binary of a mode with a profile, which it makes first.
func (w *workshop) buildWithProfile(b *build, t *target, m *mode, out string) error {
	name := filepath.Join(w.scratch, flat(m.name)+".pprof")
	var err error
	if m.pgo == cpuProfile {
		err = w.profileCPU(b, t, name)
	} else {
		err = w.profileCalls(b, t, m, name)
	}
	if err != nil {
		return err
	}
	command := append([]string{"go", "test", "-c", "-vet=off", "-o", out, "-gcflags=" + t.instrument + "=-pgoprofile=" + name}, t.BuildFlags...)
	return goCommand(b.dir, append(command, t.pkg)...)
}

// profileCPU writes the CPU profile of all selected benchmarks of a package.
func (w *workshop) profileCPU(b *build, t *target, name string) error {
	if err := b.failed[plain]; err != nil {
		return err
	}
	var all []*profile.Profile
	for _, j := range t.jobs {
		if err := w.runOnce(b, t, j, b.binaries[plain], "", "-test.cpuprofile="+name); err != nil {
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

// profileCalls writes the calls that were counted in all selected benchmarks.
func (w *workshop) profileCalls(b *build, t *target, m *mode, name string) error {
	counting := w.binary(t, m) + ".counting"
	defer os.Remove(counting)
	if err := goCommand(b.dir, m.buildCommand(w.goprofinstr, t, counting)...); err != nil {
		return err
	}
	dir := filepath.Join(w.scratch, "counted")
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	for _, j := range t.jobs {
		if err := w.runOnce(b, t, j, counting, dir); err != nil {
			return err
		}
	}
	return goCommand(b.dir, w.goprofinstr, "export", "-format", "pgo", "-o", name, dir)
}

// runOnce runs a benchmark for the sake of what is recorded.
func (w *workshop) runOnce(b *build, t *target, j job, binary, dir string, more ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	out, err := w.bench(b, t, j).command(ctx, []string{binary}, profiledFor.String(), dir, more...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %v\n%s", filepath.Base(binary), err, lastLines(out))
	}
	return nil
}
