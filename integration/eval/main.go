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
//	-quick             one benchmark of each package in std, -n 3 -runtime 50ms: whether all of it works
//	-dir DIR           for modules and other files (default goprofinstr-eval in the user's cache folder); for one evaluation at a time
//	-json FILE         write everything that was measured
//	-svg FILE          write a plot
//	-from FILE         measure nothing, show an earlier -json file
//	-goprofinstr FILE  the program to measure; default is to build it
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

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

// options are the command line.
type options struct {
	run, modes  string
	rounds      int
	runtime     time.Duration
	callgrind   bool
	buildTimes  int // rounds
	parallel    bool
	wrapCost    bool
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
	fs.BoolVar(&o.quick, "quick", false, "one benchmark of each package in std, -n 3 -runtime 50ms")
	fs.StringVar(&o.dir, "dir", "", "`DIR` for modules and other files")
	fs.StringVar(&o.json, "json", "", "write everything that was measured to `FILE`")
	fs.StringVar(&o.svg, "svg", "", "write a plot to `FILE`")
	fs.StringVar(&o.from, "from", "", "measure nothing, show an earlier -json `FILE`")
	fs.StringVar(&o.goprofinstr, "goprofinstr", "", "the `FILE` to measure; default is to build it")
	if err := fs.Parse(args); err != nil {
		return err
	}
	switch {
	case fs.NArg() > 0:
		return fmt.Errorf("unexpected argument %q", fs.Arg(0))
	case o.rounds < 0 || o.buildTimes < 0 || o.runtime <= 0:
		return errors.New("negative -n, -buildtimes or -runtime")
	case o.wrapCost && (o.rounds == 0 || o.parallel || o.callgrind || o.buildTimes > 0):
		return errors.New("-wrapcost needs rounds, and measures nothing else")
	}
	if o.quick {
		o.rounds, o.runtime = 3, 50*time.Millisecond
	}
	return nil
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
		if err := writePlot(o.svg, r); err != nil {
			return err
		}
	}
	return printReport(w, r)
}

// evaluate makes the measurements.
func evaluate(o *options, args string) (*report, error) {
	match, err := regexp.Compile(o.run)
	if err != nil {
		return nil, err
	}
	list, err := readList()
	if err != nil {
		return nil, err
	}
	targets, tested := o.targets(list, match), testedEntries(list, match)
	if len(targets) == 0 && !o.wrapCost || len(tested) == 0 && o.wrapCost {
		return nil, fmt.Errorf("nothing matches -run %q", o.run)
	}
	w, err := o.workshop()
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
func (o *options) workshop() (*workshop, error) {
	modes, err := selectModes(o.modes)
	if err != nil {
		return nil, err
	}
	w := &workshop{modes: modes}
	if w.dir, err = o.workDir(); err != nil {
		return nil, err
	}
	if w.scratch, err = os.MkdirTemp(w.dir, "scratch-"); err != nil {
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
