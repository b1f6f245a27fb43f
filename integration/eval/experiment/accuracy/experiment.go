package accuracy

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"time"

	"github.com/goprofinstr/goprofinstr/integration/eval/lab"
	"github.com/goprofinstr/goprofinstr/integration/eval/result"
)

// options are the flags that both experiments have.
type options struct {
	lab.Flags
	samplers string
	trials   int
}

func (o *options) add(fs *flag.FlagSet) {
	o.AddRun(fs)
	o.AddDir(fs)
	o.AddProgram(fs)
	fs.StringVar(&o.samplers, "samplers", "", "only these samplers, a `LIST` separated by spaces: what wrap -sampler "+
		"takes; exact, which shows what a workload does not do the same each time; portable/SAMPLER with portable "+
		"probes; copy for counting copies; samples/SAMPLER, whose samples count as they are; edges/SAMPLER, which predicts paths from edges alone")
	fs.IntVar(&o.trials, "trials", 1, "sampled runs to take the median of")
}

// Check reports flags that make no sense.
func (o *options) Check() error {
	if o.trials < 1 {
		return errors.New("-trials must be more than 0")
	}
	return nil
}

// An Experiment compares samplers: eval accuracy.
type Experiment struct {
	options
	seconds float64
}

// Declare declares the flags.
func (x *Experiment) Declare(fs *flag.FlagSet) {
	x.add(fs)
	fs.Float64Var(&x.seconds, "seconds", 10, "the least CPU time of a workload")
}

// Check reports flags that make no sense.
func (x *Experiment) Check() error {
	if x.seconds <= 0 {
		return errors.New("-seconds must be more than 0")
	}
	return x.options.Check()
}

// Run adds what is measured to the report.
func (x *Experiment) Run(r *result.Report) error {
	samplers, err := parseSamplers(cmp.Or(x.samplers, allSamplers))
	if err != nil {
		return err
	}
	return x.compare(samplers, func(w *lab.Workshop, targets []*lab.Target) error {
		cpu := time.Duration(x.seconds * float64(time.Second))
		return newAccuracies(w, x.trials, cpu, r, samplers, targets).run(targets)
	})
}

// A Converge shows how the accuracy of one sampler depends on time: eval converge.
type Converge struct {
	options
	after []float64 // CPU seconds of the runs; not a flag
}

// Declare declares the flags.
func (x *Converge) Declare(fs *flag.FlagSet) {
	x.add(fs)
	x.after = []float64{1, 5, 20, 60}
}

// Run adds what is measured to the report.
func (x *Converge) Run(r *result.Report) error {
	samplers, err := parseSamplers(cmp.Or(x.samplers, convergeSampler))
	if err != nil {
		return err
	}
	if len(samplers) != 1 {
		return fmt.Errorf("converge takes one sampler, not %d", len(samplers))
	}
	return x.compare(samplers, func(w *lab.Workshop, targets []*lab.Target) error {
		return newConvergence(w, x.trials, x.after, r, samplers[0], targets).run(targets)
	})
}

// compare calls run with the workloads that are selected, and a workshop that builds what samplers need.
func (o *options) compare(samplers []sampler, run func(*lab.Workshop, []*lab.Target) error) error {
	targets, err := o.Targets(lab.Workloads)
	if err != nil {
		return err
	}
	w, err := o.Workshop(samplerModes(samplers))
	if err != nil {
		return err
	}
	defer w.Close()
	return run(w, targets)
}
