package strat

import (
	"errors"
	"flag"
	"fmt"

	"github.com/goprofinstr/goprofinstr/integration/eval/lab"
	"github.com/goprofinstr/goprofinstr/integration/eval/result"
	"github.com/goprofinstr/goprofinstr/integration/eval/strat"
)

// monteCarlo is how many experiments with random streams there are for each length of them.
const monteCarlo = 2500

// An Experiment compresses streams of events: eval strat.
type Experiment struct {
	lab.Flags
	events      int
	thresholds  strat.Thresholds
	experiments int // of Monte Carlo; not a flag
}

// Declare declares the flags.
func (x *Experiment) Declare(fs *flag.FlagSet) {
	x.AddRun(fs)
	x.AddDir(fs)
	x.thresholds, x.experiments = strat.Usual, monteCarlo
	fs.IntVar(&x.events, "events", 4<<20, "the length of streams; traces of programs are kept below -dir")
	fs.Func("thresholds", "`E,T,S`: errors are of tuples that are at least T percent of their site, "+
		"of sites that execute at least E times, S percent of that such tuples (default 1000,10,40)", x.parseThresholds)
}

// Check reports flags that make no sense.
func (x *Experiment) Check() error {
	if x.events < leastEvents {
		return fmt.Errorf("-events must be at least %d", leastEvents)
	}
	return nil
}

// parseThresholds sets the thresholds of errors from executions and two percentages.
func (x *Experiment) parseThresholds(list string) error {
	t := &x.thresholds
	n, err := fmt.Sscanf(list, "%g,%g,%g", &t.Executions, &t.Tuple, &t.Site)
	if err != nil || n != 3 {
		return errors.New("want three numbers, as in 1000,10,40")
	}
	t.Tuple, t.Site = t.Tuple/100, t.Site/100
	return nil
}

// Run adds what is measured to the report.
func (x *Experiment) Run(r *result.Report) error {
	targets, err := x.Targets(lab.Workloads)
	if err != nil {
		return err
	}
	w, err := x.Folders([]lab.Mode{recording})
	if err != nil {
		return err
	}
	defer w.Close()
	e := &compression{&recorder{w, x.events, make(map[string]*lab.Build)}, x.events, x.thresholds, r,
		make(map[string]*result.Measure)}
	if err := e.run(targets); err != nil {
		return err
	}
	return addFigure4(r, x.experiments)
}
