package integration

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	pprof "github.com/google/pprof/profile"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/integration/eval/accuracy"
	"github.com/goprofinstr/goprofinstr/internal/longtest"
	"github.com/goprofinstr/goprofinstr/sampler/pcct"
)

// sampledProgram returns a copy of the test program, and what it prints with some arguments.
func sampledProgram(t *testing.T, args ...string) (dir, want string) {
	t.Helper()
	dir = copyProgram(t, "sampled")
	want, _ = run(t, dir, "go", append([]string{"run", "."}, args...)...)
	return dir, want
}

// wrapSampled runs the program wrapped and returns its profile.
func wrapSampled(t *testing.T, dir, want string, flags []string, args ...string) *profile.Profile {
	t.Helper()
	command := []string{"wrap", "-o", "out"}
	if !slices.Contains(flags, "exact") && !slices.Contains(flags, "stratified") {
		command = append(command, "-mode", "sampled", "-cpu-budget", "30") // ticks all the time, and counting takes a tenth of it
	}
	command = append(command, flags...)
	stdout, summary := run(t, dir, goprofinstr, append(append(command, "."), args...)...)
	if stdout != want {
		t.Errorf("%v: the program printed %q, plainly %q", flags, stdout, want)
	}
	p, err := profile.Load(filepath.Join(dir, "out"))
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Check(); err != nil {
		t.Errorf("%v: %v", flags, err)
	}
	t.Logf("%v\n%s", flags, summary)
	return p
}

// TestSampledAccuracy compares a sampled profile with the exact one of the same work.
func TestSampledAccuracy(t *testing.T) {
	dir, want := sampledProgram(t, "-rounds=900")
	exact := wrapSampled(t, dir, want, []string{"-mode", "exact", "go", "run"}, "-rounds=900")
	tests := []struct{ spec, backend string }{
		{"pep(64,17)", "auto"}, {"pep(64,17)", "portable"}, {"ag(16,17)", "auto"}, {"timer", "auto"},
	}
	if !longtest.Wanted() {
		tests = tests[:2]
	}
	for _, test := range tests {
		spec := test.spec
		sampled := wrapSampled(t, dir, want, []string{"-sampler", spec, "-backend", test.backend, "go", "run"}, "-rounds=900")
		if sampled.Certainty() != profile.Estimated {
			t.Fatal("go run did not sample")
		}
		found, err := accuracy.Paths(accuracy.New(exact), accuracy.New(sampled))
		if err != nil {
			t.Fatal(err)
		}
		bias, err := accuracy.Relative(accuracy.New(exact), accuracy.New(sampled))
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: paths %.3f, branches %.3f", spec, found, bias)
		// Wide margins: a second of CPU time on a busy machine. How good it is integration/eval measures.
		if spec != "timer" && (found < 0.9 || bias < 0.9) {
			t.Errorf("%s: finds %.3f of the flow of hot paths and %.3f of the bias of branches", spec, found, bias)
		}
		checkTicks(t, sampled)
	}
}

// checkTicks holds the ticks against the CPU time. There are no more of them in a second if several processors are busy.
func checkTicks(t *testing.T, p *profile.Profile) {
	t.Helper()
	for _, r := range p.Runs {
		s := r.Sampling
		if s == nil {
			t.Fatal("a run without sampling")
		}
		want := float64(s.CPU) / float64(10*time.Millisecond)
		if got := float64(s.Ticks + s.Overruns); got > want*1.05+3 || got < want*0.95/float64(runtime.NumCPU())-3 {
			t.Errorf("%v ticks in %v of CPU time", got, s.CPU)
		}
		if s.Cost > s.CPU/10 && s.CPU > 100*time.Millisecond {
			t.Errorf("sampling took %v of %v", s.Cost, s.CPU)
		}
	}
}

// TestForeignTicks has most ticks come in threads that Go knows nothing of, the last ones, too. They are lost, and the run file
// has how many they were.
func TestForeignTicks(t *testing.T) {
	longtest.Skip(t)
	out, err := exec.Command("go", "env", "CGO_ENABLED").Output()
	if runtime.GOOS != "linux" || err != nil || string(out) != "1\n" {
		t.Skip("no threads of C with ticks")
	}
	dir := copyProgram(t, "foreign")
	run(t, dir, goprofinstr, "wrap", "-o", "out", "-mode", "sampled", "-cpu-budget", "30", "go", "run", ".")
	s := load(t, filepath.Join(dir, "out")).Runs[0].Sampling
	t.Logf("%d ticks lost, and %d others, in %v", s.Overruns, s.Ticks, s.CPU)
	const least, most = 30, 1000 // half a second has fifty, and Go's part of it some more
	if lost := s.Overruns; lost < least || lost > most {
		t.Errorf("%d ticks lost, and %d others; want %d to %d", lost, s.Ticks, least, most)
	}
}

// TestSampledStress has many goroutines, garbage collection and child processes, and the race detector.
func TestSampledStress(t *testing.T) {
	longtest.Skip(t)
	args := []string{"-rounds=1", "-goroutines=500", "-children=20"}
	dir, want := sampledProgram(t, args...)
	t.Setenv("GOGC", "10")
	p := wrapSampled(t, dir, want, []string{"go", "run"}, args...)
	if len(p.Runs) != 21 {
		t.Errorf("%d runs, want one for each process", len(p.Runs))
	}
	checkTicks(t, p)
	args = []string{"-rounds=1", "-goroutines=20", "-children=2"}
	want, _ = run(t, dir, "go", append([]string{"run", "."}, args...)...)
	wrapSampled(t, dir, want, []string{"go", "run", "-race"}, args...)
}

// TestMonitorTime has a program for which the runtime's monitor wakes all the time. What the monitor uses is nobody's: no context
// may have it.
func TestMonitorTime(t *testing.T) {
	longtest.Skip(t)
	dir := copyProgram(t, "monitor")
	stdout, _ := run(t, dir, goprofinstr, "wrap", "-o", "out", "-mode", "sampled", "-cpu-budget", "30", "go", "run", ".")
	var process, monitor, found time.Duration
	if _, err := fmt.Sscan(stdout, &process, &monitor); err != nil {
		t.Fatalf("%v: %s", err, stdout)
	}
	p, err := profile.Load(filepath.Join(dir, "out"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range p.Contexts {
		found += time.Duration(c.Time)
	}
	t.Logf("the process has used %v, its monitor %v; contexts have %v", process, monitor, found)
	if found == 0 || found > process-monitor {
		t.Errorf("contexts have %v of CPU time, and the process has used %v, of which %v are its monitor's", found, process, monitor)
	}
}

// TestSampledBursts has a program that sleeps most of the time, and in between calls a function so often that logs are full
// all the time. The estimate of the calls may be off by a factor of 3, since windows are few. What the handlers of full
// logs take was taken off windows twice, and estimates were off by factors of 8 to 200.
func TestSampledBursts(t *testing.T) {
	dir := copyProgram(t, "bursts")
	stdout, _ := run(t, dir, goprofinstr, "wrap", "-o", "out", "-mode", "sampled", "go", "run", ".")
	var calls int64
	if _, err := fmt.Sscan(stdout, &calls); err != nil {
		t.Fatalf("%v: %s", err, stdout)
	}
	for _, f := range load(t, filepath.Join(dir, "out")).Functions() {
		if !strings.HasSuffix(f.Table.Name, ".step") {
			continue
		}
		found := int64(0)
		for _, path := range f.Paths {
			found += path.Count
		}
		if t.Logf("%d calls, estimated %d", calls, found); found < calls/3 || found > calls*3 {
			t.Errorf("%d calls are estimated where there are %d", found, calls)
		}
		return
	}
	t.Error("the function is not in the profile")
}

// TestSampledBesideProfiler has the CPU profiler run at the same time. Ticks must not be samples of its, nor come in the thread
// that it wakes at each of these.
func TestSampledBesideProfiler(t *testing.T) {
	args := []string{"-rounds=600", "-cpuprofile=cpu.pb.gz"}
	dir, want := sampledProgram(t, args...)
	p := wrapSampled(t, dir, want, []string{"go", "run"}, args...)
	f, err := os.Open(filepath.Join(dir, "cpu.pb.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	cpu, err := pprof.Parse(f)
	if err != nil {
		t.Fatal(err)
	}
	profiled := time.Duration(0)
	for _, s := range cpu.Sample {
		profiled += time.Duration(s.Value[1])
	}
	took := p.Runs[0].Sampling.CPU
	if ratio := float64(profiled) / float64(took); ratio < 0.5 || ratio > 1.5 { // the ticks would make it 2
		t.Errorf("the CPU profile has %v of %v", profiled, took)
	}
	if asleep := timeBelow(p, "runtime/pprof.profileWriter"); asleep > took/10 {
		t.Errorf("%v of %v are the goroutine's that writes the CPU profile", asleep, took)
	}
	samples := int64(0)
	for _, c := range p.Contexts {
		samples += c.Samples
	}
	// A quarter if the ticks that it gets are not made up for, and more than all if more is made up for.
	if periods := int64(took / p.Runs[0].Sampling.Period); samples < periods*2/5 || samples > periods*11/10 {
		t.Errorf("%d samples of CPU time in %d periods", samples, periods)
	}
}

// timeBelow returns the CPU time of contexts that a function is in.
func timeBelow(p *profile.Profile, function string) time.Duration {
	sum := time.Duration(0)
	for _, c := range p.Contexts {
		if slices.ContainsFunc(c.Stack(), func(f pcct.Frame) bool { return f.Name == function }) {
			sum += time.Duration(c.Time)
		}
	}
	return sum
}

// TestSampledMonitor has ticks come from the runtime's monitor, as on systems without timers of CPU time.
func TestSampledMonitor(t *testing.T) {
	longtest.Skip(t)
	dir, want := sampledProgram(t, "-rounds=100")
	setMonitored(t)
	exact := wrapSampled(t, dir, want, []string{"-mode", "exact", "go", "run"}, "-rounds=100")
	sampled := wrapSampled(t, dir, want, []string{"go", "run"}, "-rounds=100")
	found, err := accuracy.Paths(accuracy.New(exact), accuracy.New(sampled))
	if err != nil {
		t.Fatal(err)
	}
	if found < 0.9 || sampled.Runs[0].Sampling.Ticks == 0 {
		t.Errorf("%d ticks, finds %.3f of the flow of hot paths", sampled.Runs[0].Sampling.Ticks, found)
	}
}
