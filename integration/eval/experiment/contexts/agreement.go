package contexts

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	pprof "github.com/google/pprof/profile"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/integration/eval/contexts"
	"github.com/goprofinstr/goprofinstr/integration/eval/lab"
	"github.com/goprofinstr/goprofinstr/integration/eval/result"
)

// pprofParts is how many times as long a run is of which CPU profiles are made as others: six times ten seconds.
const pprofParts = 6

// An agreement compares the CPU time that contexts have with what runtime/pprof finds in the same run, by
// function. The yardstick is what runtime/pprof finds in two runs that do the same. All is in shares of all
// CPU time; what no instrumented function is on the stack of is one function more.
type agreement struct {
	cpu            time.Duration // of a plain run
	overlap, found *result.Measure
	contexts       *result.Measure // correlations as those of precision
}

// The columns of the overlaps.
const (
	ownPprof  = "ours, pprof"
	twoPprofs = "pprof, pprof"
	twoOurs   = "ours, ours"
)

func newAgreement(cpu time.Duration) *agreement {
	return &agreement{
		cpu: cpu,
		overlap: &result.Measure{
			Title: "CPU time by the nearest instrumented function: overlap of ours with " +
				"runtime/pprof's, in the same run; of pprof's in two runs; and of ours",
			Columns: []string{ownPprof, twoPprofs, twoOurs}, Shares: true,
		},
		contexts: &result.Measure{
			Title: "Precision (PCCT 6): correlation of CPU time by context in these two runs, of " +
				"pprof's and of ours",
			Columns: []string{twoPprofs, twoOurs}, Shares: true, Geometric: true,
		},
		found: &result.Measure{
			Title:   "CPU seconds that were found, functions, and time that is of none in %",
			Columns: []string{"run", "ours", "pprof", "functions", "none, ours", "none, pprof"}, Absolute: true,
		},
	}
}

func (a *agreement) suite() string { return "pprof" }

func (a *agreement) modes() []lab.Mode {
	return []lab.Mode{*lab.FindMode(lab.Plain), *lab.FindMode("sampled")}
}

func (a *agreement) tables() []*result.Measure {
	return []*result.Measure{a.overlap, a.contexts, a.found}
}

// foldedRun is the CPU time of functions in one run, and of contexts.
type foldedRun struct {
	ours, pprof         map[string]float64
	contexts, byContext contexts.Weights // ours, and pprof's
	cpu                 time.Duration
}

func (a *agreement) compare(b *lab.Bench) error {
	n, err := b.Iterations(a.cpu / pprofParts)
	if err != nil {
		return err
	}
	var runs [2]*foldedRun
	for i := range runs {
		if runs[i], err = fold(b, pprofParts*n); err != nil {
			return err
		}
		a.describe(b.Row(a.found), runs[i])
	}
	row := b.Row(a.overlap)
	for _, r := range runs {
		addResult(row, ownPprof)(contexts.Overlap(r.ours, r.pprof))
	}
	addResult(row, twoPprofs)(contexts.Overlap(runs[0].pprof, runs[1].pprof))
	addResult(row, twoOurs)(contexts.Overlap(runs[0].ours, runs[1].ours))
	row = b.Row(a.contexts)
	addResult(row, twoPprofs)(contexts.Correlation(runs[0].byContext, runs[1].byContext))
	addResult(row, twoOurs)(contexts.Correlation(runs[0].contexts, runs[1].contexts))
	return nil
}

// addResult is add for what a function returns.
func addResult(r *result.Row, column string) func(float64, error) {
	return func(v float64, err error) { r.Add(column, v, err) }
}

// fold runs n iterations of the sampled benchmark with a CPU profile.
func fold(b *lab.Bench, n int) (*foldedRun, error) {
	if err := b.Failed["sampled"]; err != nil {
		return nil, err
	}
	if err := b.EmptyRunDir(); err != nil {
		return nil, err
	}
	file := filepath.Join(filepath.Dir(b.RunDir), "cpu.pb.gz")
	ctx, cancel := context.WithTimeout(context.Background(), lab.Timeout)
	defer cancel()
	cmd := b.Command(ctx, []string{b.Binaries["sampled"]}, strconv.Itoa(n)+"x", b.RunDir, "-test.cpuprofile="+file)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%s: %v\n%s", filepath.Base(b.Binaries["sampled"]), err, lab.LastLines(out))
	}
	if _, err := lab.ParseTime(out); err != nil { // whether one benchmark was run
		return nil, err
	}
	p, err := profile.Load(b.RunDir)
	if err != nil {
		return nil, err
	}
	known := contexts.NewInstrumented(p)
	cpu, err := readPprof(file)
	if err != nil {
		return nil, err
	}
	r := &foldedRun{ours: known.ByFunction(p), contexts: contexts.Times(p),
		cpu: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}
	if r.pprof, err = known.ByFunctionOf(cpu); err != nil {
		return nil, err
	}
	r.byContext, err = contexts.TimesOf(cpu)
	return r, err
}

func readPprof(name string) (*pprof.Profile, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return pprof.Parse(f)
}

func (a *agreement) describe(r *result.Row, run *foldedRun) {
	total := func(times map[string]float64) (ns float64) {
		for _, t := range times {
			ns += t
		}
		return ns
	}
	ours, others := total(run.ours), total(run.pprof)
	for i, v := range []float64{
		run.cpu.Seconds(), ours / 1e9, others / 1e9, float64(len(run.ours)),
		100 * run.ours[contexts.None] / ours, 100 * run.pprof[contexts.None] / others,
	} {
		r.Add(a.found.Columns[i], v, nil)
	}
}
