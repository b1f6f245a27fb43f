// Eval measures what goprofinstr costs: the time of benchmarks, instrumented against plain, beside Go's own coverage.
//
//	go run ./integration/eval [flags]
//
// The benchmarks are those of benchmarks.json, in suites: std are five packages of the standard library, std-more others, modules
// third-party modules. The latter come from the module proxy; nothing else is needed but Go.
//
// Every package's test binary is built plainly and in each mode, with the package under test instrumented in all of
// them alike (-pkg, -coverpkg); of goldmark, whose benchmarks spend their time in its other packages, the whole module. A benchmark runs with one P and a fixed number of iterations, n times in every mode, in turn.
// The ratio is that of the least times, with a 95% bootstrap interval. The mode A/A is the plain binary once more: a difference that is
// not larger than what that column shows is none.
//
// With -accuracy and -converge profiles are compared, with the measures of package accuracy. A workload is
// a benchmark that does the same each time, with the same number of iterations in all runs; one of these counts exactly.
//
// With -contexts calling context trees are compared, with each other and with runtime/pprof's profile of the same run, by package contexts. The benchmarks
// are those of contexts.json; each of its suites is another measurement.
//
// With -experiment strat the figures of Sastry, Bodík & Smith, "Rapid profiling via stratified sampling" (2001), are made once more, by package strat, on
// streams that package record has recorded. The same streams give the same numbers.
//
// What fails is shown as FAIL, there is no mean over it, and the exit code is 1.
//
// Flags:
//
//	-run REGEXP        only benchmarks with a matching "suite package.name"
//	-modes LIST        only these modes, separated by commas: exact, atomic, cover-set, cover-count, cover-atomic
//	-n N               rounds (default 20); 0 measures no times
//	-runtime D         about how long a plain run takes (default 200ms)
//	-callgrind         count instructions, too, if valgrind is installed
//	-buildtimes N      time N builds of each package, too, after an edit in it; of modules only
//	-parallel          instead, benchmarks that use b.RunParallel, with one P and with two
//	-wrapcost          instead, the time and memory that wrap takes itself, and wrap go test against go test
//	-accuracy          instead, how close sampled profiles come to exact ones, with the workloads of workloads.json
//	-converge          instead, the same after 1, 5, 20 and 60 seconds
//	-contexts          instead, calling contexts: how alike those of two runs are, and of two parts of a run (suite precision); how alike the CPU time
//	                   of functions is to what runtime/pprof finds (pprof); what memory they take (memory)
//	-experiment strat  instead, stratified sampling on Monte Carlo streams and on the path ends, edges and calls of the workloads of workloads.json
//	-experiment pgo    instead, benchmarks that are built without a profile, with a CPU profile and with counted calls: -modes pgo-cpu,pgo-calls
//	-events N          with -experiment, the length of streams (default 4194304); traces of programs are kept below -dir
//	-thresholds E,T,S  with -experiment, the error is of tuples that are at least T percent of their site, of sites that execute at least E times, S percent of
//	                   that such tuples (default 1000,10,40)
//	-experiment audit  instead, how often audits of functions whose truth is known are right: -decisions N of them simulated from recorded timings (default
//	                   10000), and -audits N live (default 40)
//	-experiment audit-convergence
//	                   instead, how much sooner loop timings tell a difference than timings of calls, of functions that run for -seconds each
//	-experiment audit-accuracy
//	                   instead, whether loop timings and timings of calls tell the same, of these functions and of pairs whose difference is known
//	-samplers LIST     with -accuracy and -converge, only these samplers, separated by spaces: specifications that wrap -sampler takes; exact, which shows
//	                   what a workload does not do the same each time; portable/SAMPLER, which has portable probes; edges/SAMPLER, which predicts paths from
//	                   the edges alone
//	-seconds N         the least CPU time of a workload with -accuracy (default 10); with -contexts that of what is compared for
//	                   precision; pprof takes six times that, and memory twelve times
//	-trials N          take the median of so many sampled runs (default 1); with -contexts, the mean of so many pairs of them
//	-quick             one benchmark of each package in std, -n 3 -runtime 50ms: whether all of it works
//	-dir DIR           for modules and other files (default goprofinstr-eval in the user's cache folder); for one evaluation at a time
//	-json FILE         write everything that was measured
//	-svg FILE          write a plot; with -accuracy and -converge two, to FILE-paths and FILE-edges before FILE's extension
//	-from FILE         measure nothing, show an earlier -json file
//	-goprofinstr FILE  the program to measure; default is to build it
package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/goprofinstr/goprofinstr/integration/internal/tool"
)

func main() {
	ok, err := run(os.Args[1:], os.Stdout)
	if err != nil {
		fmt.Fprintf(os.Stderr, "eval: %v\n", err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

// run measures or reads a report, and shows it on stdout and in the files that were asked for. It is ok if nothing failed.
func run(args []string, stdout io.Writer) (ok bool, err error) {
	var o options
	if err := o.parse(args); err != nil {
		return false, err
	}
	var r *report
	if o.from != "" {
		r, err = readReport(o.from)
	} else {
		r, err = evaluate(&o, strings.Join(args, " "))
	}
	if err != nil {
		return false, err
	}
	return !r.failed(), show(stdout, r, &o)
}

// show writes a report in all forms that were asked for.
func show(w io.Writer, r *report, o *options) error {
	if o.json != "" {
		if err := r.write(o.json); err != nil {
			return err
		}
	}
	if o.svg != "" {
		if err := writePlots(o.svg, r); err != nil {
			return err
		}
	}
	return printReport(w, r)
}

// experiments are those of -experiment.
var experiments = map[string]func(o *options, match *regexp.Regexp, args string) (*report, error){
	"audit":             auditExperiment,
	"audit-accuracy":    accuracyExperiment,
	"audit-convergence": convergenceExperiment,
	"pgo":               pgoExperiment,
	"strat":             compressStreams,
}

// evaluate makes the measurements.
func evaluate(o *options, args string) (*report, error) {
	match, err := regexp.Compile(o.run)
	if err != nil {
		return nil, err
	}
	if o.experiment != "" {
		return experiments[o.experiment](o, match, args)
	}
	if o.contexts {
		return compareContexts(o, match, args)
	}
	if o.accuracy || o.converge {
		return compareProfiles(o, match, args)
	}
	return timeBenchmarks(o, match, args)
}

// pgoExperiment compares what the compiler makes of profiles.
func pgoExperiment(o *options, match *regexp.Regexp, args string) (*report, error) {
	o.modes = pgoModes
	return timeBenchmarks(o, match, args)
}

// timeBenchmarks compares the modes' benchmarks, builds or wrap's own cost.
func timeBenchmarks(o *options, match *regexp.Regexp, args string) (*report, error) {
	list, err := readList(benchmarks)
	if err != nil {
		return nil, err
	}
	targets, tested := o.targets(list, match), testedEntries(list, match)
	if len(targets) == 0 && !o.wrapCost || len(tested) == 0 && o.wrapCost {
		return nil, fmt.Errorf("nothing matches -run %q", o.run)
	}
	modes, err := selectModes(o.modes)
	if err != nil {
		return nil, err
	}
	w, err := o.workshop(modes)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(w.scratch)
	r := &report{Machine: thisMachine(), Options: args}
	if o.wrapCost {
		return r, w.wrapCost(r, tested, o.rounds)
	}
	if err := haveCallgrind(); o.callgrind && err != nil {
		r.Notes = append(r.Notes, err.Error())
		o.callgrind = false
	}
	return r, newEvaluation(w, o, r, targets).run(targets)
}

// targets returns the packages whose benchmarks the command line selects.
func (o *options) targets(list []entry, match *regexp.Regexp) []*target {
	targets := selectTargets(list, match, o.parallel)
	if o.quick {
		return few(targets)
	}
	return targets
}

// workshop makes the folders for all files, and goprofinstr.
func (o *options) workshop(modes []mode) (w *workshop, err error) {
	if w, err = o.folders(modes); err != nil {
		return nil, err
	}
	if o.goprofinstr != "" {
		w.goprofinstr, err = filepath.Abs(o.goprofinstr)
	} else {
		w.goprofinstr, err = tool.Build(w.scratch)
	}
	if err != nil {
		os.RemoveAll(w.scratch)
		return nil, err
	}
	return w, nil
}

// folders makes a workshop without goprofinstr.
func (o *options) folders(modes []mode) (*workshop, error) {
	dir, err := o.workDir()
	if err != nil {
		return nil, err
	}
	scratch, err := os.MkdirTemp(dir, "scratch-")
	return &workshop{modes: modes, dir: dir, scratch: scratch}, err
}

// workDir makes the folder of -dir.
func (o *options) workDir() (string, error) {
	dir := o.dir
	if dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return "", err
		}
		dir = filepath.Join(cache, "goprofinstr-eval")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return dir, os.MkdirAll(dir, 0o777)
}
