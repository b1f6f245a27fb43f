package main

import (
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gitdiff"
	"github.com/goprofinstr/goprofinstr/export"
	"github.com/goprofinstr/goprofinstr/export/gate"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
)

var checkCommand = &command{
	name:  "check",
	short: "fail if coverage is less than it should be, and say what is missing",
	usage: `usage: goprofinstr check [flags] DIR

Check holds the coverage of the exact profile in DIR against demands. If one is not met it exits with 1 and lists what
is missing, the most useful first, as the conditions that would have to hold:

	m.go:12: example.com/m.Parse  path 3
	    line 12 true → line 15 false → return

"true" is said of the whole condition of an if statement, and of each operand (by its column, and without a ! before it)
where there are several on the line. A path that begins "in the loop on line 9" does so when that loop goes round.

	-min-path PCT         the least coverage of paths, in percent,
	-min-branch PCT       of branches,
	-min-condition PCT    of the outcomes of conditions, true and false of each, and
	-min-statement PCT    of statements, in runs that are executed together
	-diff REV             these are about lines that have changed since REV only, a revision of git: of paths, those that
	                      pass such a line. Lines that were only deleted do not count
	-baseline DIR         coverage of none of these may be less than that of another profile, on all lines
	-format text          print gates and what is missing (the default)
	-format github        as commands to GitHub, which shows an error on each line
	-format sarif         SARIF 2.1.0, for other code hosts
	-format json          schema version 1
	-o FILE               write to FILE instead of standard output
	-top N                how many missing things to list of each kind (default 20)

Paths that are infeasible by simple reasoning are not demanded: those on which a condition on local variables
that nothing has changed is once true and once false, or contradicts a constant that a variable was set to.

What cannot be read of DIR is left out, with a warning, and taken to be not covered: the functions whose counts make
no sense, with all of their paths, and what damaged run files have executed. If it is not even known what there was to
cover, or something of the baseline cannot be read, the check fails and says so.
`,
}

func init() { checkCommand.run = runCheck }

// checkFlags are the flags of check.
type checkFlags struct {
	min                         map[gate.Measure]*string
	diff, baseline, format, out string
	top                         int
}

func (f *checkFlags) register(fs *flag.FlagSet) {
	f.min = make(map[gate.Measure]*string)
	for _, m := range gate.Measures {
		f.min[m] = fs.String("min-"+string(m), "", "")
	}
	fs.StringVar(&f.diff, "diff", "", "")
	fs.StringVar(&f.baseline, "baseline", "", "")
	fs.StringVar(&f.format, "format", "text", "")
	fs.StringVar(&f.out, "o", "", "")
	fs.IntVar(&f.top, "top", 20, "")
}

func runCheck(args []string) (int, error) {
	fs := newFlags(checkCommand)
	var f checkFlags
	f.register(fs)
	if done, err := parse(fs, checkCommand, args); done || err != nil {
		return 0, err
	}
	prefix := ""
	write, err := choose(checkCommand, f.format, map[string]func(io.Writer, *gate.Result) error{
		"text":   export.WriteCheck,
		"github": func(w io.Writer, r *gate.Result) error { return export.WriteCheckGithub(w, r, prefix) },
		"sarif":  func(w io.Writer, r *gate.Result) error { return export.WriteCheckSARIF(w, r, prefix) },
		"json":   export.WriteCheckJSON,
	})
	if err != nil {
		return 0, err
	}
	least, err := f.demands()
	if err != nil {
		return 0, err
	}
	if fs.NArg() != 1 {
		return 0, usagef("check: want one profile directory, got %s; see goprofinstr help check", export.Plural(fs.NArg(), "argument"))
	}
	p, err := load(fs.Arg(0))
	if err != nil {
		return 0, err
	}
	prefix = gitdiff.Prefix(p.Root)
	r, err := f.check(fs.Arg(0), p, least)
	if err != nil {
		return 0, err
	}
	if err := writeResult(f.out, r, write); err != nil {
		return 0, err
	}
	if !r.Passed() {
		return 1, nil
	}
	return 0, nil
}

// demands returns the least coverage that is wanted, in percent.
func (f *checkFlags) demands() (map[gate.Measure]float64, error) {
	least := make(map[gate.Measure]float64)
	for m, text := range f.min {
		if *text == "" {
			continue
		}
		percent, err := strconv.ParseFloat(*text, 64)
		if err != nil || math.IsNaN(percent) || percent < 0 || percent > 100 {
			return nil, usagef("check: -min-%s %s: want a percentage from 0 to 100", m, *text)
		}
		least[m] = percent
	}
	switch {
	case len(least) == 0 && f.baseline == "":
		return nil, usagef("check: nothing is demanded; want -min-path, -min-branch, -min-condition, -min-statement or -baseline")
	case len(least) == 0 && f.diff != "":
		return nil, usagef("check: -diff needs one of -min-path, -min-branch, -min-condition and -min-statement; -baseline is about all lines")
	case f.top < 0:
		return nil, usagef("check: -top %d: want a number of missing things", f.top)
	}
	return least, nil
}

func (f *checkFlags) check(dir string, p *profile.Profile, least map[gate.Measure]float64) (*gate.Result, error) {
	o := gate.Options{Min: least, Most: f.top}
	var err error
	if f.diff != "" {
		if o.Lines, err = changedLines(dir, f.diff); err != nil {
			return nil, err
		}
	}
	if f.baseline != "" {
		if o.Baseline, err = load(f.baseline); err != nil {
			return nil, err
		}
	}
	r, err := gate.Check(p, o)
	if errors.Is(err, gate.ErrSampled) {
		if !p.Estimates() {
			dir = f.baseline
		}
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return r, err
}

// mostSource is what is read of a source file, in bytes.
const mostSource = 64 << 20

// changedLines asks git what has changed. It is an error if one of the files is not what it was when the profile was made, for then its lines are others.
func changedLines(dir, rev string) (gate.Lines, error) {
	m, err := profile.ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	if m == nil || m.Root == "" {
		return nil, fmt.Errorf("check: -diff: %s does not say which module it is of; want the output directory of goprofinstr wrap", dir)
	}
	if _, err := os.Stat(m.Root); err != nil {
		return nil, fmt.Errorf("check: -diff: the module is not where it was: %w", err)
	}
	lines, err := gitdiff.Changed(m.Root, rev)
	if err != nil {
		return nil, fmt.Errorf("check: -diff: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(lines)) {
		want, ok := m.Sources[name]
		if !ok {
			continue // not instrumented, such as tests
		}
		src, err := rundata.ReadWhole(filepath.Join(m.Root, name), mostSource)
		if err != nil {
			return nil, err
		}
		if fmt.Sprintf("%x", sha256.Sum256(src)) != want {
			return nil, fmt.Errorf("check: -diff: %s is not what it was when %s was made: run goprofinstr wrap again", name, dir)
		}
	}
	return lines, nil
}

// writeResult writes r to a file or, if that has no name, to standard output.
func writeResult(name string, r *gate.Result, write func(io.Writer, *gate.Result) error) error {
	if name == "" {
		return write(os.Stdout, r)
	}
	return export.Replace(name, func(w io.Writer) error { return write(w, r) })
}
