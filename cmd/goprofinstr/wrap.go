package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"sync"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/instrument"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/progress"
	"github.com/goprofinstr/goprofinstr/export/coverprofile"
	"github.com/goprofinstr/goprofinstr/export/profile"
)

var wrapCommand = &command{
	name:  "wrap",
	short: "run a go command and count or sample the paths of what it builds",
	usage: `usage: goprofinstr wrap [flags] [--] go {test|build|run|install} [go flags] [packages] [args]

Wrap runs a go command on instrumented copies of the packages; the files themselves
are not touched. The output, the exit code, the standard input and the arguments are those
of the go command. After go test and go run the output directory holds

	paths.pb.gz, edges.pb.gz, calls.pb.gz    for go tool pprof
	run.*.gpi, goprofinstr.json, tables      for goprofinstr report and export

and a summary is printed to standard error. A program made by wrap go build, go install or go test -c
writes run.*.gpi to the directory $GOPROFINSTR_DIR each time it runs, and makes it if it is missing. If the variable is not set, the program
says so in a line and writes nothing; GOPROFINSTR_DIR=off is for that without the line.

	-mode MODE         exact: count every path (the default for go test);
	                   sampled: estimate from samples how often each was executed (the default for go build, run and
	                   install);
	                   stratified: count every path of functions that have few, and of others one in 256 path ends of each of
	                   2048 groups, and estimate the rest
	-sampler SPEC      sampled: which path ends after each tick of 10 ms of CPU time are samples: pep(SAMPLES,STRIDE)
	                   takes as many in a row, after skipping up to STRIDE-1; ag(SAMPLES,STRIDE) takes one in STRIDE;
	                   timer takes the first; default pep(64,17)
	                   stratified: which of all path ends are; default H[P256]2048. See goprofinstr help sampler
	                   exact: if it is given, paths of functions that have many are not counted but sampled so
	-count-up-to N     stratified, and exact with -sampler: functions with up to N paths are counted, others sampled (default 65536,
	                   up to 131072); 0, in -mode stratified, samples all
	-cpu-budget PCT    sampled: the most CPU time that sampling may take, in percent (default 1)
	-period DURATION   sampled: the CPU time between ticks (default 10ms, 4ms to 1s)
	-frames N          sampled: the most new frames of a calling context that a sample may find (default 128); 0 for no contexts
	-backend BACKEND   sampled: native: the probes are no-ops, and calls in bursts (linux/amd64); portable: a compare and a branch;
	                   auto: native where that works (the default)
	-kinds LIST        what to count besides paths and branches, separated by commas; exact and stratified: calls: the functions that
	                   interface methods and function values call; trips: how often loops go round each time; values: those of
	                   the variables that are assigned on lines with the comment //goprofinstr:value, or of the parameters of a function
	                   that begins on one
	-kinds-in PATTERNS where: functions with their import paths, or import paths, with ... for anything; default everywhere. A function
	                   with the comment //goprofinstr:kinds LIST above it has these, too
	-pkg PATTERNS      what to instrument, separated by commas: import paths, with ... as in go help
	                   packages, folders, as in ./..., std, or all; default the packages of the main module
	-o DIR             output directory (default goprofinstr.out); replaces an earlier
	                   wrap's data there, refuses a folder that is not empty and not its own
	-tests             instrument _test.go files, too
	-per-test          record the paths of each test: of subtests, too, unless they run in parallel, when all subtests of a test
	                   that do are taken together; see goprofinstr help report. For go test and -mode exact, on Linux
	-coverprofile FILE write a Go coverage profile (mode count), as go test -coverprofile does
	-profile DIR       put code where an earlier profile, in DIR, says that it is executed least
	-atomic            lose no count when goroutines run the same code at the same time; without it two that do
	                   nothing else lose up to 5% of theirs
	-without LIST      leave out optimisations, to measure what they bring: inlining, lines, entries, counted,
	                   arrays, words, weights, conditions
	-n                 print the go command and do not run it
	-x                 print the go command and run it
	-v                 list every declined function with the reason
	-lost-inlining     list the calls that the compiler inlines in the packages themselves, and not in the instrumented
	                   copies
	-work              print the name of the temporary folder and keep it

The flags -cover, -covermode, -coverpkg and -coverprofile of go test are answered from the path counts: coverage
is printed to standard error, and packages that -coverpkg selects are instrumented even if -pkg does
not. The go command does not see these flags, so it prints no coverage, and in the tests testing.CoverMode() is "".

Vet, which go test runs before the tests, does not run, whatever -vet says: run go vet.

The data of a wrap that runs are in DIR/running, which can be looked at as DIR can. They take the place of what is in DIR when the
wrap has ended, unless it has failed to run anything, has executed no instrumented code, or was interrupted while it ran tests: then DIR keeps
the profile of an earlier wrap. A second wrap with the same -o waits for the first one.
`,
}

func init() { wrapCommand.run = runWrap }

// wrapFlags are the flags of wrap.
type wrapFlags struct {
	mode, pkg, out                  string
	atomic, n, x, v                 bool
	work, tests, perTest            bool
	lostInlining                    bool
	coverprofile                    string
	profile                         string
	without                         string
	left                            instrument.Without // what without says
	sampler, budget, period, frames string
	counted                         string
	backend                         string
	sampling                        instrument.Sampling // what these and mode say
	stream                          instrument.Stream   // and of strata
	kinds, kindsIn                  string
	events                          instrument.Kinds // what these say
}

func (f *wrapFlags) register(fs *flag.FlagSet) {
	fs.StringVar(&f.mode, "mode", "", "")
	fs.StringVar(&f.pkg, "pkg", "", "")
	fs.StringVar(&f.out, "o", defaultOut, "")
	fs.StringVar(&f.coverprofile, "coverprofile", "", "")
	fs.StringVar(&f.profile, "profile", "", "")
	fs.StringVar(&f.sampler, "sampler", "", "")
	fs.StringVar(&f.counted, "count-up-to", "", "")
	fs.StringVar(&f.budget, "cpu-budget", "", "")
	fs.StringVar(&f.period, "period", "", "")
	fs.StringVar(&f.frames, "frames", "", "")
	fs.StringVar(&f.backend, "backend", auto, "")
	fs.StringVar(&f.kinds, "kinds", "", "")
	fs.StringVar(&f.kindsIn, "kinds-in", "", "")
	fs.StringVar(&f.without, "without", "", "")
	fs.BoolVar(&f.atomic, "atomic", false, "")
	fs.BoolVar(&f.tests, "tests", false, "")
	fs.BoolVar(&f.perTest, "per-test", false, "")
	fs.BoolVar(&f.n, "n", false, "")
	fs.BoolVar(&f.x, "x", false, "")
	fs.BoolVar(&f.v, "v", false, "")
	fs.BoolVar(&f.lostInlining, "lost-inlining", false, "")
	fs.BoolVar(&f.work, "work", false, "")
}

// A wrap is one go command with what is known of it before anything is built.
type wrap struct {
	flags wrapFlags
	cmd   *gocmd.Command
	tc    *instrument.Toolchain
	cover *coverage
	out   *profile.Dir // nil if nothing is run
	work  *workDir

	vetted bool // by the go command, if it ran without us
}

// runWrap is the pipeline: each step takes what the one before made.
func runWrap(args []string) (exit int, err error) {
	w := new(wrap)
	if done, err := w.parse(args); done || err != nil {
		return 0, err
	}
	if w.cmd.Help {
		return showUsage(w.cmd)
	}
	if err := w.check(); err != nil {
		return 0, err
	}
	w.vetted = vets(w.cmd, w.tc)
	if w.work, err = newWorkDir(w.flags.work); err != nil {
		return 0, err
	}
	defer w.work.remove()
	planned := sync.OnceValues(func() (*coverprofile.Plan, error) { return w.cover.plan(w.cmd, w.tc) })
	go planned() // a process that lists packages, as prepare does
	target, err := w.prepare(planned)
	if err != nil {
		return giveUp(w.cmd, w.tc, w.work, err)
	}
	plan, err := planned()
	if err != nil {
		return giveUp(w.cmd, w.tc, w.work, err)
	}
	flags, err := w.goFlags(target)
	if err != nil {
		return 0, err
	}
	if w.flags.sampling.Native {
		flag, err := toolexecFlag()
		if err != nil {
			return 0, err
		}
		flags = append(flags, flag)
	}
	goArgs := w.cmd.Args(flags...)
	if w.flags.n || w.flags.x {
		fmt.Fprintln(os.Stderr, shellLine(append([]string{w.cmd.Go}, goArgs...)))
	}
	switch {
	case w.flags.n:
		sayRemoved(w.work)
		return 0, nil
	case w.out == nil:
		exit, err = w.build(goArgs, target)
	default:
		exit, err = w.run(goArgs, target, plan)
	}
	if err == nil {
		err = w.printInlining(target)
	}
	return exit, err
}

// parse reads the command line. When help was asked for it is printed, and done is true.
func (w *wrap) parse(args []string) (done bool, err error) {
	fs := newFlags(wrapCommand)
	w.flags.register(fs)
	if done, err := parse(fs, wrapCommand, args); done || err != nil {
		return done, err
	}
	if w.cmd, err = gocmd.Parse(fs.Args()); err != nil {
		return false, usagef("wrap: %v", err)
	}
	if w.cmd.Help {
		return false, nil
	}
	return false, w.flags.check(w.cmd)
}

// check looks at everything that could be wrong before anything is done.
func (w *wrap) check() (err error) {
	if w.tc, err = instrument.FindToolchain(w.cmd); err != nil {
		return err
	}
	if w.cover, err = takeCover(w.cmd, w.tc, w.flags.coverprofile); err != nil {
		return err
	}
	if w.cover.On {
		if err := w.flags.takesCover(); err != nil {
			return err
		}
	}
	if err := refuse(wrapCommand, w.cmd, w.tc); err != nil {
		return err
	}
	if err := w.settleBackend(); err != nil {
		return err
	}
	if _, fuzz := w.cmd.Lookup("fuzz"); fuzz && w.flags.mode == sampled {
		fmt.Fprintln(os.Stderr, "goprofinstr: warning: the fuzzer takes what the sampler does for new coverage; with -fuzz, -mode exact does not mislead it")
	}
	if runs(w.cmd) {
		w.out, err = profile.CheckDir(w.flags.out)
	}
	return err
}

// prepare rewrites the packages and lays them out for the go command.
func (w *wrap) prepare(planned func() (*coverprofile.Plan, error)) (*instrument.Target, error) {
	covered, err := w.cover.packages(planned)
	if err != nil {
		return nil, err
	}
	line := progress.New(os.Stderr, "rewriting packages")
	target, err := instrument.Prepare(w.cmd, w.tc, w.work.path, instrument.Options{
		Patterns: w.flags.patterns(),
		Profile:  w.flags.profile,
		Without:  w.flags.left,
		Sampling: w.flags.sampling,
		Stream:   w.flags.stream,
		Kinds:    w.flags.events,
		Atomic:   w.flags.atomic || w.flags.mode == stratified || w.cover.Mode == "atomic",
		Tests:    w.flags.tests,
		PerTest:  w.flags.perTest,
		Covered:  covered,
		Progress: line,
	})
	line.Close()
	if err != nil {
		return nil, w.work.about(err)
	}
	for _, text := range target.Warnings {
		fmt.Fprintf(os.Stderr, "goprofinstr: warning: %s\n", text)
	}
	return target, nil
}

// build runs a go command that runs no program of the user's.
func (w *wrap) build(goArgs []string, target *instrument.Target) (exit int, err error) {
	e, err := w.goCommand(goArgs, target)
	if err != nil || e.exit != 0 {
		return e.exit, err
	}
	w.sayVet()
	warnOfOut(w.flags.out, w.cmd)
	return 0, printBuilt(target, w.flags.v)
}

// run runs a go command that runs instrumented programs, and writes what they have counted. The profile of an
// earlier wrap stays where it is until there is a better one.
func (w *wrap) run(goArgs []string, target *instrument.Target, plan *coverprofile.Plan) (exit int, err error) {
	if err := lockOutput(w.out); err != nil {
		return 0, err
	}
	defer w.out.Unlock()
	if err := w.start(target, plan); err != nil {
		return 0, errors.Join(err, w.out.Discard())
	}
	e, err := w.goCommand(goArgs, target)
	if err != nil {
		return e.exit, w.giveBack(err)
	}
	return e.exit, w.finish(e, plan)
}

// goCommand runs the go command, and says so if that takes unusually long.
func (w *wrap) goCommand(args []string, target *instrument.Target) (ending, error) {
	if target.Std.Missing() {
		fmt.Fprintln(os.Stderr, "goprofinstr: the standard library has to be compiled with our hooks first, once for each toolchain and kind of build")
	}
	e, err := run(w.tc, args, w.work, w.out)
	target.Std.Built()
	return e, err
}

// start makes the output directory ready for the runs, and makes sure that coverage profiles can be written.
func (w *wrap) start(target *instrument.Target, plan *coverprofile.Plan) error {
	if err := w.out.Start(target.Manifest, target.Tables); err != nil {
		return err
	}
	if plan != nil {
		if err := plan.Write(w.out.Running()); err != nil {
			return err
		}
	}
	return w.cover.check()
}
