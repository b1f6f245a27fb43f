// Eval measures what goprofinstr costs, and how good its profiles are.
//
//	go run ./integration/eval SUBCOMMAND [flags]
//
// The subcommands are experiments, each with flags of its own (eval SUBCOMMAND -h), and show:
//
//	time               the time of benchmarks, instrumented against plain, beside Go's own coverage
//	accuracy           how close sampled profiles come to exact ones
//	converge           the same after 1, 5, 20 and 60 seconds
//	scale              whether the sum of estimates is that of the executions, and what is called never though it was
//	intervals          how many of the 95% intervals in profiles hold the truth
//	contexts           calling contexts: how alike those of two runs are, and of two parts of a run (suite
//	                   precision); how alike the CPU time of functions is to what runtime/pprof finds (pprof);
//	                   what memory they take (memory)
//	callers            whether calls in generated programs have their callers, with the right shares
//	service            calls, times and conditions of an HTTP service against what a load generator has counted
//	strat              stratified sampling on Monte Carlo streams and on the path ends, edges and calls of the workloads
//	pgo                benchmarks that are built without a profile, with a CPU profile and with counted calls
//	pgo-service        the same of a service of JSON over HTTP, with sampled calls
//	audit              how often audits of functions whose truth is known are right
//	audit-accuracy     whether loop timings and timings of calls tell the same
//	audit-convergence  how much sooner loop timings tell a difference than timings of calls
//	audit-base         how often audit -base is right about commits whose truth is known
//	audit-equal        how often audits of versions that take the same time say otherwise, without copies and with them
//	wrapcost           the time and memory that wrap takes itself, and wrap go test against go test
//	select             whether select misses tests over the history of modules, and what it saves
//	all                everything that docs/results has, with the flags that it has in package publish; -only takes a
//	                   list of experiments, and -list measures nothing
//	pages              writes the pages of docs/results of their JSON, and the numbers that documents quote from there
//	show FILE          what an earlier experiment has written with -json
//
// All of them take
//
//	-json FILE  write everything that was measured
//	-svg FILE   write a plot; of accuracy and converge two, to FILE-paths and FILE-edges before FILE's extension
//
// # What is measured
//
// The benchmarks are those of lab/benchmarks.json, in suites: std are five packages of the standard library,
// std-more others, modules third-party modules. The latter come from the module proxy; nothing else is needed
// but Go.
//
// Every package's test binary is built plainly and in each mode, with the package under test instrumented in
// all of them alike (-pkg, -coverpkg); of goldmark, whose benchmarks spend their time in its other packages,
// the whole module. A benchmark runs with one P and a fixed number of iterations, n times in every mode, in
// turn. The ratio is that of the least times, with a 95% bootstrap interval. The mode A/A is the plain binary
// once more: a difference that is not larger than what that column shows is none.
//
// With accuracy and converge profiles are compared, with the measures of package accuracy. A workload
// (lab/workloads.json) is a benchmark that does the same each time, with the same number of iterations in all
// runs; one of these counts exactly.
//
// With scale and intervals the same workloads are held against exact counts in absolute numbers. With service and
// callers programs are measured whose truth is known without a profile: by a load generator, or by construction.
//
// With contexts calling context trees are compared, with each other and with runtime/pprof's profile of the
// same run, by package contexts. The benchmarks are those of lab/contexts.json; each of its suites is another
// measurement.
//
// With strat the figures of Sastry, Bodík & Smith, "Rapid profiling via stratified sampling" (2001), are made
// once more, by package strat, on streams that package record has recorded. The same streams give the same
// numbers.
//
// What fails is shown as FAIL, there is no mean over it, and the exit code is 1.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/goprofinstr/goprofinstr/integration/eval/experiment/accuracy"
	"github.com/goprofinstr/goprofinstr/integration/eval/experiment/audit"
	"github.com/goprofinstr/goprofinstr/integration/eval/experiment/auditbase"
	"github.com/goprofinstr/goprofinstr/integration/eval/experiment/callers"
	"github.com/goprofinstr/goprofinstr/integration/eval/experiment/contexts"
	"github.com/goprofinstr/goprofinstr/integration/eval/experiment/overhead"
	"github.com/goprofinstr/goprofinstr/integration/eval/experiment/pgo"
	"github.com/goprofinstr/goprofinstr/integration/eval/experiment/pgoservice"
	"github.com/goprofinstr/goprofinstr/integration/eval/experiment/selecting"
	"github.com/goprofinstr/goprofinstr/integration/eval/experiment/service"
	"github.com/goprofinstr/goprofinstr/integration/eval/experiment/strat"
	"github.com/goprofinstr/goprofinstr/integration/eval/experiment/wrapcost"
	"github.com/goprofinstr/goprofinstr/integration/eval/lab"
	"github.com/goprofinstr/goprofinstr/integration/eval/publish"
	"github.com/goprofinstr/goprofinstr/integration/eval/result"
)

// An experiment is what a subcommand does.
type experiment interface {
	Declare(fs *flag.FlagSet)   // declares its flags
	Check() error               // reports flags that make no sense
	Run(r *result.Report) error // adds what is measured to the report
}

// commands are the subcommands but show, with what they measure.
var commands = []struct {
	name, measures string
	new            func() experiment
}{
	{"time", "the time of benchmarks in every mode", func() experiment { return new(overhead.Experiment) }},
	{"accuracy", "how close sampled profiles come to exact ones",
		func() experiment { return new(accuracy.Experiment) }},
	{"converge", "the same after 1, 5, 20 and 60 seconds", func() experiment { return new(accuracy.Converge) }},
	{"scale", "whether estimates are as large as the truth, and what they miss",
		func() experiment { return new(accuracy.Scale) }},
	{"intervals", "how many 95% intervals hold the truth", func() experiment { return new(accuracy.Intervals) }},
	{"contexts", "calling contexts against each other and runtime/pprof",
		func() experiment { return new(contexts.Experiment) }},
	{"callers", "whether calls have their callers", func() experiment { return new(callers.Experiment) }},
	{"service", "whether the numbers of a service can be believed",
		func() experiment { return new(service.Experiment) }},
	{"strat", "stratified sampling on random and recorded streams", func() experiment { return new(strat.Experiment) }},
	{"pgo", "what the compiler makes of profiles", func() experiment { return new(pgo.Experiment) }},
	{"pgo-service", "what profiles are worth to a service", func() experiment { return new(pgoservice.Experiment) }},
	{"audit", "how often audits are right", func() experiment { return new(audit.Experiment) }},
	{"audit-accuracy", "whether loop timings tell what timings of calls tell",
		func() experiment { return new(audit.Agreement) }},
	{"audit-convergence", "how much sooner loop timings tell it", func() experiment { return new(audit.Convergence) }},
	{"select", "which tests select misses over histories, and what it saves", func() experiment { return new(selecting.Experiment) }},
	{"audit-base", "how often audits of commits are right", func() experiment { return new(auditbase.Experiment) }},
	{"audit-equal", "how often audits of equal versions are wrong", func() experiment { return new(auditbase.Equal) }},
	{"wrapcost", "the time and memory of wrap itself", func() experiment { return new(wrapcost.Experiment) }},
}

func main() {
	ok, err := run(os.Args[1:], os.Stdout)
	if err != nil {
		if !errors.Is(err, flag.ErrHelp) { // which the flag set has printed
			fmt.Fprintf(os.Stderr, "eval: %v\n", err)
		}
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

// run does what a subcommand says, and shows the report on stdout and in the files that were asked for. It is
// ok if nothing failed.
func run(args []string, stdout io.Writer) (ok bool, err error) {
	if len(args) == 0 {
		return false, errors.New("which subcommand? There are\n" + usage())
	}
	var r *result.Report
	var svg string
	switch args[0] {
	case "all":
		return runAll(args[1:], stdout)
	case "pages":
		return true, writePages(stdout)
	case "show":
		r, svg, err = readEarlier(args[1:])
	default:
		r, svg, err = measureAnew(args)
	}
	if err != nil {
		return false, err
	}
	return !r.Failed(), show(stdout, r, svg)
}

// usage returns a line for each subcommand.
func usage() string {
	var b strings.Builder
	for _, c := range commands {
		fmt.Fprintf(&b, "\t%-18s %s\n", c.name, c.measures)
	}
	fmt.Fprintf(&b, "\t%-18s %s\n", "all", "everything that docs/results has")
	fmt.Fprintf(&b, "\t%-18s %s\n", "pages", "the pages of docs/results and the numbers quoted from there, of their JSON")
	fmt.Fprintf(&b, "\t%-18s %s", "show FILE", "what was measured before")
	return b.String()
}

// measureAnew makes an experiment.
func measureAnew(args []string) (r *result.Report, svg string, err error) {
	x := newExperiment(args[0])
	if x == nil {
		return nil, "", fmt.Errorf("no subcommand %q; there are\n%s", args[0], usage())
	}
	o, err := parseFlags(args, x.Declare)
	if err != nil {
		return nil, "", err
	}
	if len(o.rest) > 0 {
		return nil, "", fmt.Errorf("unexpected argument %q", o.rest[0])
	}
	if err := errors.Join(x.Check(), o.check()); err != nil {
		return nil, "", err
	}
	r = result.New(lab.ThisMachine(), described(args), o.json)
	began := lab.UsedCPU()
	err = x.Run(r)
	r.Machine.Others = began.Others()
	r.Took, r.Machine.After = time.Since(r.Machine.Date).Round(time.Second).Seconds(), lab.LoadAverage()
	return r, o.svg, err
}

// places are the flags that say where files are, and nothing of what is measured.
var places = []string{"json", "svg", "dir", "goprofinstr"}

// described returns the arguments of an experiment, as a shell reads them, without those that say where files are.
func described(args []string) string {
	var kept []string
	for i := 0; i < len(args); i++ {
		name, _, joined := strings.Cut(strings.TrimLeft(args[i], "-"), "=")
		if strings.HasPrefix(args[i], "-") && slices.Contains(places, name) {
			if !joined {
				i++
			}
			continue
		}
		kept = append(kept, publish.Quoted(args[i]))
	}
	return strings.Join(kept, " ")
}

// newExperiment returns the experiment of a subcommand; nil if there is none.
func newExperiment(name string) experiment {
	for _, c := range commands {
		if c.name == name {
			return c.new()
		}
	}
	return nil
}

// readEarlier reads the report that show is to show.
func readEarlier(args []string) (r *result.Report, svg string, err error) {
	o, err := parseFlags(append([]string{"show"}, args...), func(*flag.FlagSet) {})
	if err != nil {
		return nil, "", err
	}
	if len(o.rest) != 1 {
		return nil, "", errors.New("show takes one file")
	}
	if r, err = result.Read(o.rest[0]); err != nil {
		return nil, "", err
	}
	r.SaveTo(o.json)
	return r, o.svg, nil
}

// output has the files that are asked for, and the arguments that are no flags.
type outputs struct {
	json, svg string
	rest      []string
}

// check reports files that cannot be written, before anything is measured.
func (o *outputs) check() error {
	for _, name := range []string{o.json, o.svg} {
		if name == "" {
			continue
		}
		if _, err := os.Stat(filepath.Dir(name)); err != nil {
			return fmt.Errorf("%s cannot be written: %w", name, err)
		}
	}
	return nil
}

// parseFlags parses the flags of a subcommand and those that all have.
func parseFlags(args []string, declare func(*flag.FlagSet)) (o outputs, err error) {
	fs := flag.NewFlagSet("eval "+args[0], flag.ContinueOnError)
	fs.StringVar(&o.json, "json", "", "write everything that was measured to `FILE`")
	fs.StringVar(&o.svg, "svg", "", "write a plot to `FILE`")
	declare(fs)
	err = fs.Parse(args[1:])
	o.rest = fs.Args()
	return o, err
}

// show writes a report in all forms that were asked for. What cannot be written is no reason to show nothing: it took long to
// measure.
func show(w io.Writer, r *result.Report, svg string) error {
	err := errors.Join(result.Print(w, r), r.Save())
	if svg != "" {
		err = errors.Join(err, result.WritePlots(svg, r))
	}
	return err
}
