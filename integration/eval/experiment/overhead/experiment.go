package overhead

import (
	"errors"
	"flag"
	"time"

	"github.com/goprofinstr/goprofinstr/integration/eval/lab"
	"github.com/goprofinstr/goprofinstr/integration/eval/result"
)

// Options say which benchmarks are timed, and how.
type Options struct {
	lab.Flags
	rounds     int
	runtime    time.Duration // of a plain run, about
	callgrind  bool
	parallel   bool
	quick      bool
	buildTimes int // rounds
}

// Add declares the flags, but -buildtimes.
func (o *Options) Add(fs *flag.FlagSet) {
	o.AddRun(fs)
	o.AddDir(fs)
	o.AddProgram(fs)
	fs.IntVar(&o.rounds, "n", 20, "rounds; 0 measures no times")
	fs.DurationVar(&o.runtime, "runtime", 200*time.Millisecond, "about how long a plain run takes")
	fs.BoolVar(&o.callgrind, "callgrind", false, "count instructions, too, if valgrind is installed")
	fs.BoolVar(&o.parallel, "parallel", false, "benchmarks that use b.RunParallel instead, with one P and with two")
	fs.BoolVar(&o.quick, "quick", false, "one benchmark of each package in std, -n 3 -runtime "+
		"50ms: whether all of it works")
}

// Check reports flags that make no sense.
func (o *Options) Check() error {
	if o.rounds < 0 || o.buildTimes < 0 || o.runtime <= 0 {
		return errors.New("negative -n, -buildtimes or -runtime")
	}
	return nil
}

// Measure times the benchmarks that are selected, in all modes.
func (o *Options) Measure(r *result.Report, modes []lab.Mode) error {
	if o.quick {
		o.rounds, o.runtime = 3, 50*time.Millisecond
	}
	targets, err := o.targets()
	if err != nil {
		return err
	}
	w, err := o.Workshop(modes)
	if err != nil {
		return err
	}
	defer w.Close()
	if err := lab.HaveCallgrind(); o.callgrind && err != nil {
		r.Notes = append(r.Notes, err.Error())
		o.callgrind = false
	}
	return newEvaluation(w, o, r, targets).run(targets)
}

// targets returns the packages whose benchmarks the flags select.
func (o *Options) targets() ([]*lab.Target, error) {
	list, err := lab.ReadList(lab.Benchmarks)
	if err != nil {
		return nil, err
	}
	targets := lab.SelectTargets(list, o.Match, o.parallel)
	if o.quick {
		targets = lab.Few(targets)
	}
	if len(targets) == 0 {
		return nil, o.Nothing()
	}
	return targets, nil
}

// An Experiment compares the modes: eval time.
type Experiment struct {
	Options
	modes string
}

// Declare declares the flags.
func (x *Experiment) Declare(fs *flag.FlagSet) {
	x.Add(fs)
	fs.StringVar(&x.modes, "modes", "", "only these modes, a `LIST` separated by commas, as in exact,cover-set")
	fs.IntVar(&x.buildTimes, "buildtimes", 0, "time `N` builds of each package, too, after an edit in it; of modules only")
}

// Run adds what is measured to the report.
func (x *Experiment) Run(r *result.Report) error {
	selected := lab.AllModes()
	if x.modes != "" {
		var err error
		if selected, err = lab.SelectModes(x.modes, lab.Modes); err != nil {
			return err
		}
	}
	return x.Measure(r, selected)
}
