package cli

import (
	"flag"
	"slices"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/flags"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/instrument"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/mode"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/outdir"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/usage"
)

// wrapFlags are the flags of wrap.
type wrapFlags struct {
	counting     mode.Flags
	pkg, out     string
	n, x, v      bool
	work, tests  bool
	alone        bool
	lostInlining bool
	coverprofile string
	profile      string
	without      string

	set    *flag.FlagSet      // of the table
	left   instrument.Without // what without says
	choice *mode.Choice       // what counting says
}

func (f *wrapFlags) table() flags.Table {
	rows := slices.Concat(f.counting.ModeRows(), f.counting.KindRows(), f.buildFlags(), f.showFlags())
	return flags.Table{Column: 19, Flags: rows}
}

// buildFlags say what is instrumented, and how.
func (f *wrapFlags) buildFlags() []flags.Flag {
	return []flags.Flag{
		{Name: "pkg", Value: "PATTERNS", Var: &f.pkg,
			Usage: `what to instrument, separated by commas: import paths, with ... as in go help
			packages, folders, as in ./..., std, or all; default the packages of the main module`},
		{Name: "o", Value: "DIR", Var: &f.out, Default: outdir.Default,
			Usage: `output directory (default goprofinstr.out); replaces an earlier
			wrap's data there, refuses a folder that is not empty and not its own`},
		{Name: "tests", Var: &f.tests, Usage: "instrument _test.go files, too"},
		f.counting.PerTestRow(),
		{Name: "alone", Var: &f.alone, Verbs: []string{"test"},
			Usage: `run each test in a process of its own, as goprofinstr select needs it: what is executed only once in a process is
			counted for each test. What panics have cut short is counted by function; needs -per-test`},
		{Name: "coverprofile", Value: "FILE", Var: &f.coverprofile, Verbs: []string{"test"},
			Only:  &flags.Only{Flag: "mode", Values: []string{mode.Exact}, Needs: true},
			Usage: "write a Go coverage profile (mode count), as go test -coverprofile does"},
		{Name: "profile", Value: "DIR", Var: &f.profile,
			Usage: "put code where an earlier profile, in DIR, says that it is executed least"},
		f.counting.AtomicRow(),
		f.counting.IterationsRow(),
		{Name: "without", Value: "LIST", Var: &f.without,
			Usage: `leave out optimisations, to measure what they bring: inlining, lines, entries, counted,
			arrays, words, weights, conditions, rounds`},
	}
}

// showFlags say what is printed and kept.
func (f *wrapFlags) showFlags() []flags.Flag {
	list := printFlags(&f.n, &f.x)
	return append(list, []flags.Flag{
		{Name: "v", Var: &f.v, Usage: "list every declined function with the reason"},
		{Name: "lost-inlining", Var: &f.lostInlining,
			Usage: `list the calls that the compiler inlines in the packages themselves, and not in the instrumented
			copies`},
		keepFlag(&f.work),
	}...)
}

// check refuses flags of wrap that cannot be honoured with a go command of this verb.
func (f *wrapFlags) check(verb string) (err error) {
	if f.left, err = instrument.ParseWithout(f.without); err != nil {
		return usage.Errorf("-without: %v", err)
	}
	if f.out == "" {
		return usage.Errorf("-o needs the name of a directory")
	}
	if err := checkPatterns(fields(f.pkg)); err != nil {
		return err
	}
	if err := f.counting.Settle(verb); err != nil {
		return err
	}
	if err := refuseFlags(f.table(), f.set, verb); err != nil {
		return err
	}
	if f.choice, err = f.counting.Read(); err != nil {
		return err
	}
	if f.alone && !f.choice.PerTest {
		return usage.Errorf("-alone needs -per-test")
	}
	return nil
}

// counts returns the flags that were given and say what is counted, as words of a command line.
func (f *wrapFlags) counts() (words []string) {
	f.set.Visit(func(given *flag.Flag) {
		switch given.Name {
		case "mode", "pkg", "tests", "atomic", "sampler", "count-up-to", "cpu-budget", "period", "frames", "backend":
			words = append(words, "-"+given.Name+"="+given.Value.String())
		}
	})
	return words
}
