package contexts

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/goprofinstr/goprofinstr/integration/eval/lab"
	"github.com/goprofinstr/goprofinstr/integration/eval/result"
)

// A measurement makes one measurement of calling contexts, on the benchmarks of a suite of contexts.json.
type measurement interface {
	suite() string
	modes() []lab.Mode
	tables() []*result.Measure // with rows for the benchmarks, to which failures are added, too
	compare(*lab.Bench) error
}

// An Experiment makes all measurements of calling contexts: eval contexts.
type Experiment struct {
	lab.Flags
	seconds float64
	trials  int
}

// Declare declares the flags.
func (x *Experiment) Declare(fs *flag.FlagSet) {
	x.AddRun(fs)
	x.AddDir(fs)
	x.AddProgram(fs)
	fs.Float64Var(&x.seconds, "seconds", 10, "CPU time of what is compared for precision; suite "+
		"pprof takes six times as much, and memory twelve times")
	fs.IntVar(&x.trials, "trials", 1, "pairs of runs to take the mean of")
}

// Check reports flags that make no sense.
func (x *Experiment) Check() error {
	if x.trials < 1 || x.seconds <= 0 {
		return errors.New("-trials and -seconds must be more than 0")
	}
	return nil
}

// Run adds what is measured to the report.
func (x *Experiment) Run(r *result.Report) error {
	list, err := lab.ReadList(lab.ContextBenchmarks)
	if err != nil {
		return err
	}
	targets := lab.ContextTargets(list, x.Match)
	if len(targets) == 0 {
		return x.Nothing()
	}
	w, err := x.Workshop(nil)
	if err != nil {
		return err
	}
	defer w.Close()
	cpu := time.Duration(x.seconds * float64(time.Second))
	for _, m := range []measurement{newPrecision(cpu, x.trials), newAgreement(pprofParts * cpu), newMemory(cpu)} {
		if err := compareSuite(w, m, targets, r); err != nil {
			return err
		}
	}
	return nil
}

// compareSuite makes one measurement on those of the targets that are for it, and adds its tables to r.
func compareSuite(w *lab.Workshop, m measurement, targets []*lab.Target, r *result.Report) error {
	var mine []*lab.Target
	for _, t := range targets {
		if t.Suite == m.suite() {
			mine = append(mine, t)
		}
	}
	if len(mine) == 0 {
		return nil
	}
	for _, table := range m.tables() {
		lab.AddJobs(table, mine)
		r.Measures = append(r.Measures, table)
	}
	w.Modes = m.modes()
	for _, t := range mine {
		compareTarget(w, m, t)
		if err := r.Save(); err != nil {
			return err
		}
	}
	return nil
}

// compareTarget builds a target and makes a measurement on its benchmarks. What fails is in the tables.
func compareTarget(w *lab.Workshop, m measurement, t *lab.Target) {
	fmt.Fprintln(os.Stderr, t.Pkg)
	b, err := w.Build(t)
	if b != nil {
		defer b.Remove()
	}
	for _, j := range t.Jobs {
		fmt.Fprintf(os.Stderr, "\t%s\n", j.Name(t.Pkg))
		failure := err
		if err == nil {
			failure = m.compare(w.Bench(b, t, j))
		}
		if failure != nil {
			table := m.tables()[0]
			table.Find(j.Suite, j.Name(t.Pkg)).Add(table.Columns[0], 0, failure)
		}
	}
}

// parts returns the ends of parts of a run that take the same CPU time.
func parts(n int, each time.Duration) []time.Duration {
	var ends []time.Duration
	for i := range n {
		ends = append(ends, time.Duration(i+1)*each)
	}
	return ends
}
