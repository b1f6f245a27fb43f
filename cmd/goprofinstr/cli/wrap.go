package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"golang.org/x/tools/go/packages"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/alone"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/coverage"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/flags"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gitdiff"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gorun"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/instrument"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/mode"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/outdir"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/progress"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/replay"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/toolchain"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/toolexec"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/vet"
	"github.com/goprofinstr/goprofinstr/export/coverprofile"
	"github.com/goprofinstr/goprofinstr/rewrite/target"
)

var wrapCommand = &command{
	name:     "wrap",
	run:      runWrap,
	wraps:    true,
	short:    "run a go command and count or sample the paths of what it builds",
	synopsis: `goprofinstr wrap [flags] [--] go {test|build|run|install} [go flags] [packages] [args]`,
	about: `Wrap runs a go command on instrumented copies of the packages; the files themselves
are not touched. The output, the exit code, the standard input and the arguments are those
of the go command. After go test and go run the output directory holds

	paths.pb.gz, edges.pb.gz, calls.pb.gz    for go tool pprof
	run.*.gpi, goprofinstr.json, tables      for goprofinstr report and export

and a summary is printed to standard error. A program made by wrap go build, go install or go test -c
writes run.*.gpi to the directory $GOPROFINSTR_DIR each time it runs, and makes it if it is missing. If the variable is not set, the program
says so in a line and writes nothing; GOPROFINSTR_DIR=off is for that without the line. Run files have the command line; with GOPROFINSTR_ARGS=0 they do not.`,
	flags: func() flags.Table { return new(wrapFlags).table() },
	notes: `The flags -cover, -covermode, -coverpkg and -coverprofile of go test are answered from the path counts: coverage
is printed to standard error, and packages that -coverpkg selects are instrumented even if -pkg does
not. The go command does not see these flags, so it prints no coverage, and in the tests testing.CoverMode() is "".

Vet, which go test runs before the tests, sees the files as they are, and what it finds is said as go test says it.

The data of a wrap that runs are in DIR/running, which can be looked at as DIR can. They take the place of what is in DIR when the
wrap has ended, unless it has failed to run anything, has executed no instrumented code, or was interrupted while it ran tests: then DIR keeps
the profile of an earlier wrap. A second wrap with the same -o waits for the first one.

` + currentFolder,
	examples: `goprofinstr wrap go test ./...                          # count every path that tests take
goprofinstr wrap -per-test go test ./...                # and tell which tests take it
goprofinstr wrap -coverprofile cover.out go test ./...  # and write Go's own coverage
goprofinstr wrap -pkg ./...,example.com/dep/... go test ./...
goprofinstr wrap -mode exact go run . input.txt         # count what a program does
goprofinstr wrap go build -o shop . && GOPROFINSTR_DIR=shop.out ./shop`,
}

// A wrap is one go command with what is known of it before anything is built.
type wrap struct {
	*gorun.Run
	options wrapFlags
	cover   *coverage.Demand
	vet     *vet.Check          // nil if go test vets nothing
	failed  []*packages.Package // under test, in which vet finds something, if there are others
	tests   *replay.Tests       // whose results the go command may have; nil if all tests run
	cached  int                 // packages whose results it had
	state   *gitdiff.State      // of the checkout; nil if git knows none
}

// runWrap is the pipeline: each step takes what the one before made.
func runWrap(c *command, args []string) (exit int, err error) {
	w := new(wrap)
	cmd, done, err := w.parse(c, args)
	if done || err != nil {
		return 0, err
	}
	if cmd.Help {
		return gorun.ShowUsage(cmd)
	}
	if err := w.check(cmd); err != nil {
		return 0, err
	}
	if cmd.Verb == "test" { // before there is an output directory, which git would not know
		state, why := gitdiff.StateOf(cmp.Or(cmd.Dir, "."))
		if w.state = state; why != nil && w.options.alone {
			fmt.Fprintf(os.Stderr, "goprofinstr: warning: goprofinstr select cannot use this profile, "+
				"for it will have no commit: %v\n", why)
		}
	}
	if err := w.Begin(w.options.out, w.options.work); err != nil {
		return 0, err
	}
	defer w.End()
	if err := w.fit(w.options.choice); err != nil {
		return 0, err
	}
	var sound bool
	if w.vet, sound = vet.New(w.Cmd, w.Toolchain); !sound {
		return w.GiveUp(errors.New("go test -vet names an analyzer that this release of Go does not have, " +
			"as far as goprofinstr knows"))
	}
	if w.options.n {
		w.vet.Skip()
	}
	defer w.vet.Stop()
	w.AtSignal(w.vet.Stop)
	planned := sync.OnceValues(func() (*coverprofile.Plan, error) { return w.cover.Plan(w.Cmd, w.Toolchain) })
	go planned() // a process that lists packages, as prepare does
	target, err := w.prepare(planned)
	if err != nil {
		return w.GiveUp(err)
	}
	plan, err := planned()
	if err != nil {
		return w.GiveUp(err)
	}
	if ended, exit, err := w.vets(target); ended || err != nil {
		return exit, err
	}
	if w.Out != nil && !w.options.n {
		if err := outdir.Lock(w.Out); err != nil {
			return 0, err
		}
		defer w.Out.Unlock()
		w.beginTests(target)
	}
	goArgs, err := w.goArgs(target)
	if err != nil {
		return 0, err
	}
	if w.Show(goArgs, w.options.x) {
		return 0, nil
	}
	if w.Out == nil {
		exit, err = w.build(goArgs, target)
	} else {
		exit, err = w.runAndFinish(goArgs, target, plan)
	}
	if err == nil {
		err = errors.Join(w.printUncounted(), w.printInlining(target))
	}
	return exit, err
}

// beginTests looks for the results of tests that the go command has. A test that runs alone has none.
func (w *wrap) beginTests(target *instrument.Target) {
	if !w.options.alone {
		w.tests = replay.Begin(w.Cmd, w.Toolchain, target, w.Out, w.failed, w.Environ())
	}
	w.Identities = w.tests.Identities()
}

// parse reads the command line, and returns the go command. When help was asked for it is printed, and done is true.
func (w *wrap) parse(c *command, args []string) (cmd *gocmd.Command, done bool, err error) {
	if w.options.set, done, err = c.parse(w.options.table(), args); done || err != nil {
		return nil, done, err
	}
	if cmd, err = c.parseGo(w.options.set); err != nil {
		return nil, false, err
	}
	if cmd.Help {
		return cmd, false, nil
	}
	return cmd, false, w.options.check(cmd.Verb)
}

// check looks at everything that could be wrong before anything is done.
func (w *wrap) check(cmd *gocmd.Command) (err error) {
	if w.Run, err = gorun.New(cmd); err != nil {
		return err
	}
	w.DryRun = w.options.n
	choice := w.options.choice
	if w.cover, err = coverage.Take(cmd, w.Toolchain, w.options.coverprofile); err != nil {
		return err
	}
	if w.cover.On {
		if err := choice.TakesCover(); err != nil {
			return err
		}
	}
	if err := w.Refuse(true); err != nil {
		return err
	}
	if w.options.alone {
		if err := alone.Refuse(cmd, w.Toolchain); err != nil {
			return err
		}
	}
	if _, fuzz := w.Toolchain.Lookup(cmd, "fuzz"); fuzz && choice.Mode == mode.Sampled {
		fmt.Fprintln(os.Stderr, "goprofinstr: warning: the fuzzer takes what the sampler does for new coverage; "+
			"with -fuzz, -mode exact does not mislead it")
	}
	return nil
}

// fit has the choice be one for which the runtime has hooks, and says in a line what is lost by that.
func (w *wrap) fit(choice *mode.Choice) error {
	user, err := toolchain.UserOverlay(w.Cmd)
	if err != nil {
		return nil // which is said where the overlay is used
	}
	hooks, err := w.Toolchain.Hooks(w.Cmd, user, choice.PerTest)
	if err != nil {
		return err
	}
	lost, err := choice.Fit(hooks, w.Toolchain.GOVERSION)
	if err != nil {
		return err
	}
	if len(lost) > 0 {
		fmt.Fprintf(os.Stderr, "goprofinstr: warning: the runtime of %s has no place for some hooks: %s; goprofinstr doctor says which\n",
			w.Toolchain.GOVERSION, strings.Join(lost, "; "))
	}
	why, err := choice.GoNative(w.Cmd, w.Toolchain, hooks)
	if why != "" {
		fmt.Fprintf(os.Stderr, "goprofinstr: portable probes: %s\n", why)
	}
	return err
}

// vets waits for what vet finds in the packages under test. If it finds something in all of them the go command says
// so, and the wrap has ended. Otherwise the build is made to fail where vet does.
func (w *wrap) vets(t *instrument.Target) (ended bool, exit int, err error) {
	if w.options.n {
		return false, 0, nil
	}
	stop := w.Progress.Watch(progress.Building())
	failed, all := w.vet.Failed()
	stop()
	w.Progress.Close()
	switch {
	case len(failed) == 0:
		return false, 0, nil
	case all:
		exit, err = w.GiveUp(errors.New("vet finds something that go test does not"))
		w.sayNothingRun("")
		return true, exit, err
	}
	w.failed = failed
	said := w.vet.Report(failed)
	w.Stdout, w.Stderr = said.Filter(w.Stdout, w.Stderr)
	return false, 0, target.Add(t.Overlay, said.Files)
}

// prepare rewrites the packages and lays them out for the go command.
func (w *wrap) prepare(planned func() (*coverprofile.Plan, error)) (*instrument.Target, error) {
	covered, err := w.cover.Packages(planned)
	if err != nil {
		return nil, err
	}
	stop := w.Progress.Watch(progress.Building())
	choice := w.options.choice
	counting := choice.Counting
	counting.Atomic = counting.Atomic || w.cover.Atomic()
	target, err := instrument.Prepare(w.Cmd, w.Toolchain, w.Folder(), instrument.Options{
		Patterns:   fields(w.options.pkg),
		Profile:    w.options.profile,
		Without:    w.options.left,
		Mode:       choice.Mode,
		Counting:   counting,
		Kinds:      choice.Kinds,
		Tests:      w.options.tests,
		PerTest:    choice.PerTest,
		Entries:    w.options.alone,
		Pairs:      choice.Pairs,
		Covered:    covered,
		CoverFlags: w.cover.Flags(),
		Progress:   w.Progress,
		Vet:        w.vet,
	})
	stop()
	w.Progress.Close()
	if err != nil {
		return nil, err
	}
	for _, text := range target.Warnings {
		fmt.Fprintf(os.Stderr, "goprofinstr: warning: %s\n", text)
	}
	return target, nil
}

// goArgs returns the command line that makes the go command build instrumented files.
func (w *wrap) goArgs(target *instrument.Target) ([]string, error) {
	gcflags, err := target.Inlining.GoFlags()
	if err != nil {
		return nil, err
	}
	var more []string
	if w.options.alone {
		flag, err := alone.Flag()
		if err != nil {
			return nil, err
		}
		more = append(more, flag)
	}
	if w.options.choice.Counting.Sampling.Native {
		flag, err := toolexec.Flag(toolexec.Probes)
		if err != nil {
			return nil, err
		}
		more = append(more, flag)
	}
	if w.options.choice.Counting.Labels() {
		flag, err := toolexec.Flag(toolexec.Copies, instrument.Records(w.Folder()))
		if err != nil {
			return nil, err
		}
		more = append(more, flag)
	}
	return w.Args(target.Overlay, gcflags, more...)
}

// build runs a go command that runs no program of the user's.
func (w *wrap) build(goArgs []string, target *instrument.Target) (exit int, err error) {
	e, err := w.Execute(goArgs, target.Std)
	if err != nil || e.Exit != 0 {
		return e.Exit, err
	}
	w.WarnOfOut()
	return 0, printBuilt(target, w.options.v)
}

// runAndFinish runs a go command that runs instrumented programs, and writes what they have counted. The profile of an
// earlier wrap stays where it is until there is a better one.
func (w *wrap) runAndFinish(goArgs []string, target *instrument.Target, plan *coverprofile.Plan) (exit int, err error) {
	if err := w.start(target, plan); err != nil {
		return 0, errors.Join(err, w.Out.Discard())
	}
	e, err := w.Execute(goArgs, target.Std)
	if err != nil {
		return e.Exit, w.giveBack(err)
	}
	if w.cached, err = w.tests.End(e, w.Toolchain.Is(w.Cmd, "failfast")); err != nil {
		return e.Exit, w.giveBack(err)
	}
	return e.Exit, w.finish(e, plan)
}

// start makes the output directory ready for the runs, and makes sure that coverage profiles can be written.
func (w *wrap) start(target *instrument.Target, plan *coverprofile.Plan) error {
	m := &target.Manifest
	m.Dir, m.Wrap = outdir.WorkingDir(m.Root), w.options.counts()
	if w.options.choice.PerTest {
		m.Head, m.Modified = w.state.Below(m.Root)
	}
	if err := w.Out.Start(target.Manifest, target.Tables); err != nil {
		return err
	}
	if plan != nil {
		if err := plan.Write(w.Out.Running()); err != nil {
			return err
		}
	}
	return w.cover.Check()
}
