package main

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/goprofinstr/goprofinstr/integration/eval/strat"
)

// options are the command line.
type options struct {
	run, modes string
	rounds     int
	runtime    time.Duration
	callgrind  bool
	buildTimes int // rounds
	parallel   bool
	wrapCost   bool
	accuracy   bool
	converge   bool
	contexts   bool
	experiment string
	events     int
	thresholds strat.Thresholds
	decisions  int
	audits     int
	samplers   string
	seconds    float64
	trials     int
	// CPU seconds of the runs of -converge; not a flag.
	convergeAfter []float64
	// Monte Carlo experiments of -experiment; not a flag.
	experiments int
	quick       bool
	dir         string
	json, svg   string
	from        string
	goprofinstr string
}

func (o *options) parse(args []string) error {
	fs := flag.NewFlagSet("eval", flag.ContinueOnError)
	fs.StringVar(&o.run, "run", "", "only benchmarks whose \"suite package.name\" matches `REGEXP`")
	fs.StringVar(&o.modes, "modes", "", "only these modes, a `LIST` separated by commas")
	fs.IntVar(&o.rounds, "n", 20, "rounds")
	fs.DurationVar(&o.runtime, "runtime", 200*time.Millisecond, "about how long a plain run takes")
	fs.BoolVar(&o.callgrind, "callgrind", false, "count instructions, too")
	fs.IntVar(&o.buildTimes, "buildtimes", 0, "time `N` builds of each package, too")
	fs.BoolVar(&o.parallel, "parallel", false, "measure benchmarks that use b.RunParallel instead, with one P and with two")
	fs.BoolVar(&o.wrapCost, "wrapcost", false, "measure wrap itself instead")
	fs.BoolVar(&o.accuracy, "accuracy", false, "measure the accuracy of sampled profiles instead")
	fs.BoolVar(&o.converge, "converge", false, "measure the accuracy after 1, 5, 20 and 60 seconds instead")
	fs.BoolVar(&o.contexts, "contexts", false, "measure calling contexts instead")
	fs.IntVar(&o.events, "events", 4<<20, "length of streams, for -experiment")
	fs.Func("thresholds", "`E,T,S` of the error of -experiment", o.parseThresholds)
	fs.StringVar(&o.experiment, "experiment", "", "the experiment of that `NAME` instead: audit, audit-accuracy, audit-convergence, pgo or strat")
	fs.IntVar(&o.decisions, "decisions", 10_000, "decisions to simulate of each pair, for -experiment audit")
	fs.IntVar(&o.audits, "audits", 40, "live audits, for -experiment audit")
	fs.StringVar(&o.samplers, "samplers", "", "only these samplers, a `LIST` separated by spaces")
	fs.Float64Var(&o.seconds, "seconds", 10, "CPU time of a workload, for -accuracy and -contexts")
	fs.IntVar(&o.trials, "trials", 1, "sampled runs to take the median of, or pairs of them to compare")
	fs.BoolVar(&o.quick, "quick", false, "one benchmark of each package in std, -n 3 -runtime 50ms")
	fs.StringVar(&o.dir, "dir", "", "`DIR` for modules and other files")
	fs.StringVar(&o.json, "json", "", "write everything that was measured to `FILE`")
	fs.StringVar(&o.svg, "svg", "", "write a plot to `FILE`")
	fs.StringVar(&o.from, "from", "", "measure nothing, show an earlier -json `FILE`")
	fs.StringVar(&o.goprofinstr, "goprofinstr", "", "the `FILE` to measure; default is to build it")
	o.thresholds, o.experiments = strat.Usual, 2500
	if err := fs.Parse(args); err != nil {
		return err
	}
	o.convergeAfter = []float64{1, 5, 20, 60}
	if fs.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", fs.Arg(0))
	}
	if err := o.check(); err != nil {
		return err
	}
	if o.quick {
		o.rounds, o.runtime = 3, 50*time.Millisecond
	}
	return nil
}

// check reports flags that make no sense, by themselves or together.
func (o *options) check() error {
	others := o.parallel || o.callgrind || o.buildTimes > 0
	profiles := o.accuracy || o.converge || o.contexts || o.experiment == "strat"
	switch {
	case o.rounds < 0 || o.buildTimes < 0 || o.runtime <= 0:
		return errors.New("negative -n, -buildtimes or -runtime")
	case o.experiment != "" && experiments[o.experiment] == nil:
		return fmt.Errorf("no experiment %q; there are %s", o.experiment, strings.Join(slices.Sorted(maps.Keys(experiments)), ", "))
	case o.decisions < 0 || o.audits < 0:
		return errors.New("negative -decisions or -audits")
	case o.trials < 1 || o.seconds <= 0:
		return errors.New("-trials and -seconds must be more than 0")
	case o.wrapCost && (o.rounds == 0 || others):
		return errors.New("-wrapcost needs rounds, and measures nothing else")
	case o.experiment == "pgo" && (o.accuracy || o.converge || o.contexts || o.modes != "" || o.wrapCost):
		return errors.New("-experiment pgo has modes of its own, and measures nothing else")
	case o.experiment == "strat" && (o.accuracy || o.converge || o.contexts || o.goprofinstr != ""):
		return errors.New("-experiment measures nothing else, and builds its own goprofinstr")
	case o.events < leastEvents:
		return fmt.Errorf("-events must be at least %d", leastEvents)
	case profiles && (o.wrapCost || others || o.quick || o.modes != ""), o.accuracy && o.converge, o.contexts && (o.accuracy || o.converge):
		return errors.New("-accuracy, -converge and -contexts measure nothing else, nor two of these at once")
	case !o.accuracy && !o.converge && o.samplers != "":
		return errors.New("-samplers is for -accuracy and -converge")
	}
	return nil
}

// parseThresholds sets the thresholds of errors from executions and two percentages.
func (o *options) parseThresholds(list string) error {
	t := &o.thresholds
	n, err := fmt.Sscanf(list, "%g,%g,%g", &t.Executions, &t.Tuple, &t.Site)
	if err != nil || n != 3 {
		return errors.New("want three numbers, as in 1000,10,40")
	}
	t.Tuple, t.Site = t.Tuple/100, t.Site/100
	return nil
}

// cpu returns the CPU time of -seconds.
func (o *options) cpu() time.Duration { return time.Duration(o.seconds * float64(time.Second)) }
