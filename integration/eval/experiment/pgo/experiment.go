// Package pgo measures what the compiler makes of profiles, eval pgo. The same benchmarks are built with none,
// with a CPU profile of themselves, and with the calls that goprofinstr has counted in them. Counted calls are
// with and without the targets of calls through interfaces and function values, and together with the CPU profile.
// Last are calls that were sampled, of which calling contexts tell the targets. Test files are instrumented, too,
// for they have the calls that a benchmark is about.
package pgo

import (
	"flag"
	"slices"

	"github.com/goprofinstr/goprofinstr/integration/eval/experiment/overhead"
	"github.com/goprofinstr/goprofinstr/integration/eval/lab"
	"github.com/goprofinstr/goprofinstr/integration/eval/result"
)

// modes are the modes of the experiment, behind the first two of all.
var modes = []lab.Mode{
	{Name: "pgo-cpu", Profile: profileCPU},
	{Name: "pgo-paths", Profile: profileCalls, Wrap: []string{"-mode=exact", "-tests"}},
	{Name: "pgo-calls", Profile: profileCalls, Wrap: []string{"-mode=exact", "-tests", "-kinds=calls"}},
	{Name: "pgo-both", Profile: profileBoth, Wrap: []string{"-mode=exact", "-tests", "-kinds=calls"}},
	{Name: "pgo-contexts", Profile: profileCalls, Wrap: []string{"-mode=sampled", "-tests"}},
}

// An Experiment times benchmarks that are built with profiles: eval pgo.
type Experiment struct {
	overhead.Options
	modes string
}

// Declare declares the flags.
func (x *Experiment) Declare(fs *flag.FlagSet) {
	x.Add(fs)
	fs.StringVar(&x.modes, "modes", "pgo-cpu,pgo-calls,pgo-both,pgo-contexts",
		"these modes, a `LIST` separated by commas: pgo-cpu, pgo-paths, pgo-calls, pgo-both, pgo-contexts")
}

// Run adds what is measured to the report.
func (x *Experiment) Run(r *result.Report) error {
	selected, err := lab.SelectModes(x.modes, slices.Concat(lab.Modes[:2], modes))
	if err != nil {
		return err
	}
	return x.Measure(r, selected)
}
