package lab

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/tools/benchmark/parse"

	"github.com/goprofinstr/goprofinstr/export/profiledir"
	"github.com/goprofinstr/goprofinstr/integration/eval/result"
)

// A Bench is a benchmark that can be run in every mode.
type Bench struct {
	*Build
	Job
	pkg    string
	flags  []string // for the test binary
	RunDir string   // for the data that an instrumented binary writes
}

func (w *Workshop) Bench(b *Build, t *Target, j Job) *Bench {
	return &Bench{b, j, t.Pkg, t.RunFlags, w.RunDir()}
}

// RunDir is the folder for the data of one run at a time.
func (w *Workshop) RunDir() string { return filepath.Join(w.Scratch, "run") }

// Measure runs the benchmark in all modes, in turn, and adds the times to r. Each run has the same number of
// iterations, so many that a plain one takes about as long as runtime.
func (b *Bench) Measure(r *result.Row, modes []Mode, rounds int, runtime time.Duration) {
	iterations, err := b.calibrate(runtime)
	if err != nil {
		r.Add(Plain, 0, err)
		return
	}
	r.Iterations = iterations
	for round := range rounds {
		for i := range modes {
			// Begin with another one each time: whoever runs after the slowest always runs there otherwise.
			m := modes[(round+i)%len(modes)].Name
			if r.Failed[m] == "" {
				ns, err := b.run(m, strconv.Itoa(r.Iterations)+"x")
				r.Add(m, ns, err)
			}
		}
	}
}

// calibrate returns how many iterations a plain run takes about as long as runtime for.
func (b *Bench) calibrate(runtime time.Duration) (iterations int, err error) {
	ns, err := b.run(Plain, runtime.String())
	if err != nil {
		return 0, err
	}
	return max(1, int(float64(runtime.Nanoseconds())/ns)), nil
}

// run runs the benchmark once, for a -test.benchtime, and returns its time in ns/op.
func (b *Bench) run(mode, benchtime string) (ns float64, err error) {
	if err := b.Failed[mode]; err != nil {
		return 0, err
	}
	m := b.Mode(mode)
	dir := b.RunDir
	if m.mute {
		dir = ""
	}
	ran, err := b.start(nil, b.Binaries[mode], benchtime, dir, m.run...)
	if err != nil {
		return 0, err
	}
	if err := b.checkCounted(m, ran.stdout); err != nil {
		return 0, err
	}
	return ParseTime(ran.stdout)
}

// checkCounted reports whether the last run was of an instrumented program, if it should be. The go command leaves
// out instrumentation without a word where -cover and -overlay meet (golang/go#73802), and such a program is fast.
func (b *Bench) checkCounted(m *Mode, stdout []byte) error {
	if m.cover != "" && !bytes.Contains(stdout, []byte("\ncoverage: ")) {
		return errors.New("no coverage was printed")
	}
	if m.Wrap == nil || m.Profile != nil {
		return nil
	}
	data, err := os.ReadDir(b.RunDir)
	if err == nil && len(data) == 0 {
		err = errors.New("no run data were written")
	}
	return err
}

// callgrindRuntime is how long a run that is to be counted takes on the bare machine. In valgrind it takes fifty
// times as long, and the second run three times that.
const callgrindRuntime = 10 * time.Millisecond

// Timeout is for one run, which is meant to take seconds, or a minute in eval converge. A program that hangs is a
// failure like any other.
const Timeout = 15 * time.Minute

// A ran is what came of a run.
type ran struct {
	stdout, stderr []byte
	cpu            time.Duration
}

// start runs a command that ends with the test binary and its arguments. Instrumented programs write their
// data to dir, if it is not "".
func (b *Bench) start(before []string, binary, benchtime, dir string, more ...string) (*ran, error) {
	if err := b.EmptyRunDir(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), Timeout)
	defer cancel()
	cmd := b.Command(ctx, append(slices.Clip(before), binary), benchtime, dir, more...)
	if before != nil {
		cmd.Env = append(cmd.Env, underValgrind)
	}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s: %v\n%s", filepath.Base(binary), err,
			LastLines(append(out.Bytes(), errs.Bytes()...)))
	}
	return &ran{out.Bytes(), errs.Bytes(), cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}, nil
}

// Command returns a command that ends with the test binary and its arguments. Instrumented programs write
// their data to dir, if it is not "".
func (b *Bench) Command(ctx context.Context, binary []string, benchtime, dir string, more ...string) *exec.Cmd {
	procs := strconv.Itoa(b.Procs)
	args := slices.Concat(binary, []string{"-test.run=^$", "-test.bench=" + Pattern(b.Job.Bench),
		"-test.benchtime=" + benchtime, "-test.cpu=" + procs}, more, b.flags)
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = b.PkgDir
	cmd.Env = append(os.Environ(), "GOMAXPROCS="+procs, profiledir.Var+"="+dir)
	return cmd
}

// EmptyRunDir makes a new folder for the run data, so that no run is slowed down by what others have left.
func (b *Bench) EmptyRunDir() error {
	if err := os.RemoveAll(b.RunDir); err != nil {
		return err
	}
	return os.MkdirAll(b.RunDir, 0o777)
}

// Pattern returns the regular expressions for -test.bench that match one benchmark: one for each part of its name.
func Pattern(name string) string {
	parts := strings.Split("Benchmark"+name, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}

// ParseTime returns the ns/op of the one benchmark in a test binary's output.
func ParseTime(out []byte) (ns float64, err error) {
	set, err := parse.ParseSet(bytes.NewReader(out))
	if err != nil {
		return 0, err
	}
	var found []*parse.Benchmark
	for _, b := range set {
		found = append(found, b...)
	}
	if len(found) != 1 {
		return 0, fmt.Errorf("%d benchmarks in the output, not 1\n%s", len(found), LastLines(out))
	}
	if found[0].Measured&parse.NsPerOp == 0 || found[0].NsPerOp <= 0 {
		return 0, fmt.Errorf("no ns/op in the output\n%s", LastLines(out))
	}
	return found[0].NsPerOp, nil
}
