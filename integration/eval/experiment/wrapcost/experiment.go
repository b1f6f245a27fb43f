package wrapcost

import (
	"errors"
	"flag"

	"github.com/goprofinstr/goprofinstr/integration/eval/lab"
	"github.com/goprofinstr/goprofinstr/integration/eval/result"
)

// An Experiment measures wrap itself: eval wrapcost.
type Experiment struct {
	lab.Flags
	rounds int
}

// Declare declares the flags.
func (x *Experiment) Declare(fs *flag.FlagSet) {
	x.AddRun(fs)
	x.AddDir(fs)
	x.AddProgram(fs)
	fs.IntVar(&x.rounds, "n", 20, "rounds")
}

// Check reports flags that make no sense.
func (x *Experiment) Check() error {
	if x.rounds < 1 {
		return errors.New("-n must be more than 0")
	}
	return nil
}

// Run adds what is measured to the report.
func (x *Experiment) Run(r *result.Report) error {
	list, err := lab.ReadList(lab.Benchmarks)
	if err != nil {
		return err
	}
	tested := testedEntries(list, x.Match)
	if len(tested) == 0 {
		return x.Nothing()
	}
	w, err := x.Workshop(nil)
	if err != nil {
		return err
	}
	defer w.Close()
	return newWrapCost(w, r).measure(tested, x.rounds)
}
