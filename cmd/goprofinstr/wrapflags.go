package main

import (
	"flag"
	"path/filepath"
	"slices"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/flags"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/instrument"
)

// wrapFlags are the flags of wrap.
type wrapFlags struct {
	mode, pkg, out                  string
	n, x, v                         bool
	work, tests, perTest            bool
	lostInlining                    bool
	coverprofile                    string
	profile                         string
	without                         string
	left                            instrument.Without // what without says
	sampler, budget, period, frames string
	counted                         string
	backend                         string
	counting                        instrument.Counting // what these and mode say
	kinds, kindsIn                  string
	events                          instrument.Kinds // what these say

	set *flag.FlagSet // of the table
}

// The rules of wrap, in which modes some of its flags mean something.
var (
	forTicks = &flags.Only{Flag: "mode", Values: []string{sampled}, Why: map[string]string{
		stratified: "-mode stratified has no ticks",
	}}
	forProbes = &flags.Only{Flag: "mode", Values: []string{sampled}}
	forAtomic = &flags.Only{Flag: "mode", Values: []string{exact}, Why: map[string]string{
		sampled:    "samples are never lost",
		stratified: "-mode stratified loses no count as it is",
	}}
	forCounted = &flags.Only{Flag: "mode", Values: []string{stratified, exact}, Why: map[string]string{
		sampled: "-mode sampled counts nothing",
	}}
	forKinds = &flags.Only{Flag: "mode", Values: []string{exact, stratified}, Needs: true, Why: map[string]string{
		sampled: "-mode sampled looks at ends of paths only",
	}}
	forKindsIn = &flags.Only{Flag: "mode", Values: []string{exact, stratified}, Needs: true} // -kinds is refused first
	forTests   = &flags.Only{Flag: "mode", Values: []string{exact}, Needs: true, Why: map[string]string{
		"": "which test a sample is of would be chance",
	}}
	forCoverage = &flags.Only{Flag: "mode", Values: []string{exact}, Needs: true}
)

func (f *wrapFlags) table() flags.Table {
	return flags.Table{Column: 19, Flags: slices.Concat(f.modeFlags(), f.kindFlags(), f.buildFlags(), f.showFlags())}
}

// modeFlags say how paths are counted.
func (f *wrapFlags) modeFlags() []flags.Flag {
	return []flags.Flag{
		{Name: "mode", Value: "MODE", Var: &f.mode, Usage: modeUsage()},
		{Name: "sampler", Value: "SPEC", Var: &f.sampler,
			Usage: `sampled: which path ends after each tick of 10 ms of CPU time are samples: pep(SAMPLES,STRIDE)
			takes as many in a row, after skipping up to STRIDE-1; ag(SAMPLES,STRIDE) takes one in STRIDE;
			timer takes the first; default pep(64,17);
			stratified: which of all path ends are; default H[P256]2048, see goprofinstr help sampler;
			exact: if it is given, paths of functions that have many are not counted but sampled so`},
		{Name: "count-up-to", Value: "N", Var: &f.counted, Only: forCounted,
			Usage: `stratified, and exact with -sampler: functions with up to N paths are counted, others sampled (default 65536,
			up to 131072); 0, in -mode stratified, samples all`},
		{Name: "cpu-budget", Value: "PCT", Var: &f.budget, Only: forTicks,
			Usage: "sampled: the most CPU time that sampling may take, in percent (default 1)"},
		{Name: "period", Value: "DURATION", Var: &f.period, Only: forTicks,
			Usage: "sampled: the CPU time between ticks (default 10ms, 4ms to 1s)"},
		{Name: "frames", Value: "N", Var: &f.frames, Only: forTicks,
			Usage: "sampled: the most new frames of a calling context that a sample may find (default 128); 0 for no contexts"},
		{Name: "backend", Value: "BACKEND", Var: &f.backend, Default: auto, Only: forProbes,
			Usage: `sampled: native: the probes are no-ops, and calls in bursts (linux/amd64); portable: a compare and a branch;
			auto: native where that works (the default)`},
	}
}

// kindFlags say what is counted besides paths.
func (f *wrapFlags) kindFlags() []flags.Flag {
	return []flags.Flag{
		{Name: "kinds", Value: "LIST", Var: &f.kinds, Only: forKinds,
			Usage: `what to count besides paths and branches, separated by commas; exact and stratified: calls: the functions that
			interface methods and function values call; trips: how often loops go round each time; values: those of
			the variables that are assigned on lines with the comment //goprofinstr:value, or of the parameters of a function
			that begins on one`},
		{Name: "kinds-in", Value: "PATTERNS", Var: &f.kindsIn, Only: forKindsIn,
			Usage: `where: functions with their import paths, or import paths, with ... for anything; default everywhere. A function
			with the comment //goprofinstr:kinds LIST above it has these, too`},
	}
}

// buildFlags say what is instrumented, and how.
func (f *wrapFlags) buildFlags() []flags.Flag {
	return []flags.Flag{
		{Name: "pkg", Value: "PATTERNS", Var: &f.pkg,
			Usage: `what to instrument, separated by commas: import paths, with ... as in go help
			packages, folders, as in ./..., std, or all; default the packages of the main module`},
		{Name: "o", Value: "DIR", Var: &f.out, Default: defaultOut,
			Usage: `output directory (default goprofinstr.out); replaces an earlier
			wrap's data there, refuses a folder that is not empty and not its own`},
		{Name: "tests", Var: &f.tests, Usage: "instrument _test.go files, too"},
		{Name: "per-test", Var: &f.perTest, Verbs: []string{"test"}, Only: forTests,
			Usage: `record the paths of each test: of subtests, too, unless they run in parallel, when all subtests of a test
			that do are taken together; see goprofinstr help report. For go test and -mode exact, on Linux`},
		{Name: "coverprofile", Value: "FILE", Var: &f.coverprofile, Verbs: []string{"test"}, Only: forCoverage,
			Usage: "write a Go coverage profile (mode count), as go test -coverprofile does"},
		{Name: "profile", Value: "DIR", Var: &f.profile,
			Usage: "put code where an earlier profile, in DIR, says that it is executed least"},
		{Name: "atomic", Var: &f.counting.Atomic, Only: forAtomic,
			Usage: `lose no count when goroutines run the same code at the same time; without it two that do
			nothing else lose up to 5% of theirs`},
		{Name: "without", Value: "LIST", Var: &f.without,
			Usage: `leave out optimisations, to measure what they bring: inlining, lines, entries, counted,
			arrays, words, weights, conditions`},
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

// printFlags are those about the go command that is run.
func printFlags(n, x *bool) []flags.Flag {
	return []flags.Flag{
		{Name: "n", Var: n, Usage: "print the go command and do not run it"},
		{Name: "x", Var: x, Usage: "print the go command and run it"},
	}
}

// keepFlag is the flag about the temporary folder.
func keepFlag(work *bool) flags.Flag {
	return flags.Flag{Name: "work", Var: work, Usage: "print the name of the temporary folder and keep it"}
}

// check refuses flags of wrap that cannot be honoured.
func (f *wrapFlags) check(c *gocmd.Command) error {
	var err error
	if f.left, err = instrument.ParseWithout(f.without); err != nil {
		return usagef("wrap: -without: %v", err)
	}
	if f.out == "" {
		return usagef("wrap: -o needs the name of a directory")
	}
	if f.kinds == "" && f.kindsIn != "" {
		return usagef("wrap: -kinds-in %s: say with -kinds what to count there", f.kindsIn)
	}
	if err := checkPatterns("wrap", f.patterns()); err != nil {
		return err
	}
	return f.settleMode(c)
}

func (f *wrapFlags) patterns() []string { return fields(f.pkg) }

// checkPatterns refuses patterns of -pkg that the go command does not take for -coverpkg either.
func checkPatterns(command string, patterns []string) error {
	for _, p := range patterns {
		if filepath.IsAbs(p) {
			return usagef("%s: -pkg %s: want import paths, as in example.com/m/..., or folders, as in ./...", command, p)
		}
	}
	return nil
}
