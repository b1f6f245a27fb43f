// Eval measures what goprofinstr costs: the time of benchmarks, instrumented against plain, beside Go's own coverage.
//
//	go run ./integration/eval [flags]
//
// The benchmarks are those of benchmarks.json, in suites: std are five packages of the standard library, std-more others, modules
// third-party modules. The latter come from the module proxy; nothing else is needed but Go.
//
// Every package's test binary is built plainly and in each mode, with the package under test instrumented in all of
// them alike (-pkg, -coverpkg). A benchmark runs with one P and a fixed number of iterations, n times in every mode, in turn.
// The ratio is that of the least times, with a 95% bootstrap interval. The mode A/A is the plain binary once more: a difference that is
// not larger than what that column shows is none.
//
// What fails is shown as FAIL, there is no mean over it, and the exit code is 1.
//
// Flags:
//
//	-run REGEXP        only benchmarks with a matching "suite package.name"
//	-modes LIST        only these modes, separated by commas: exact, atomic, cover-set, cover-count, cover-atomic
//	-n N               rounds (default 20)
//	-runtime D         about how long a plain run takes (default 200ms)
//	-quick             one benchmark of each package in std, -n 3 -runtime 50ms: whether all of it works
//	-dir DIR           for modules and binaries (default goprofinstr-eval in the user's cache folder)
//	-json FILE         write everything that was measured
//	-svg FILE          write a plot
//	-from FILE         measure nothing, show an earlier -json file
//	-goprofinstr FILE  the program to measure; default is to build it
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/goprofinstr/goprofinstr/integration/internal/tool"
)

func main() {
	ok, err := run(os.Args[1:])
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
	fs.BoolVar(&o.quick, "quick", false, "one benchmark of each package in std, -n 3 -runtime 50ms")
	fs.StringVar(&o.dir, "dir", "", "`DIR` for modules and binaries")
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
	case o.rounds < 1 || o.runtime <= 0:
		return errors.New("-n and -runtime must be positive")
	}
	if o.quick {
		o.rounds, o.runtime = 3, 50*time.Millisecond
	}
	return nil
}

// run measures or reads a report, and shows it. It is ok if nothing failed.
func run(args []string) (ok bool, err error) {
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
	return !r.failed(), show(r, &o)
}

// show writes a report in all forms that were asked for.
func show(r *report, o *options) error {
	if o.json != "" {
		if err := r.write(o.json); err != nil {
			return err
		}
	}
	return printReport(os.Stdout, r)
}

// evaluate makes the measurements.
func evaluate(o *options, args string) (*report, error) {
	targets, err := o.targets()
	if err != nil {
		return nil, err
	}
	w, err := o.workshop()
	if err != nil {
		return nil, err
	}
	r := &report{Machine: thisMachine(), Options: args}
	return r, w.evaluate(r, targets, o)
}

// targets returns what the command line selects of the list.
func (o *options) targets() ([]*target, error) {
	match, err := regexp.Compile(o.run)
	if err != nil {
		return nil, err
	}
	list, err := readList()
	if err != nil {
		return nil, err
	}
	targets := selectTargets(list, match, false)
	if o.quick {
		targets = fewTargets(targets)
	}
	if len(targets) == 0 {
		return nil, fmt.Errorf("no benchmark matches -run %q", o.run)
	}
	return targets, nil
}

// workshop makes the folder for all files, and goprofinstr.
func (o *options) workshop() (*workshop, error) {
	modes, err := selectModes(o.modes)
	if err != nil {
		return nil, err
	}
	if o.dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return nil, err
		}
		o.dir = filepath.Join(cache, "goprofinstr-eval")
	}
	dir, err := filepath.Abs(o.dir)
	if err != nil {
		return nil, err
	}
	w := &workshop{dir: dir, modes: modes}
	bin := filepath.Join(dir, "bin")
	if err := os.MkdirAll(bin, 0o777); err != nil {
		return nil, err
	}
	if o.goprofinstr == "" {
		w.goprofinstr, err = tool.Build(bin)
	} else {
		w.goprofinstr, err = filepath.Abs(o.goprofinstr)
	}
	return w, err
}
