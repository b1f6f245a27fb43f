package main

import (
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/flags"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/instrument"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/progress"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/toolchain"
	"github.com/goprofinstr/goprofinstr/export/coverprofile"
)

var wrapCommand = &command{
	name:     "wrap",
	short:    "run a go command and count or sample the paths of what it builds",
	synopsis: `goprofinstr wrap [flags] [--] go {test|build|run|install} [go flags] [packages] [args]`,
	about: `Wrap runs a go command on instrumented copies of the packages; the files themselves
are not touched. The output, the exit code, the standard input and the arguments are those
of the go command. After go test and go run the output directory holds

	paths.pb.gz, edges.pb.gz, calls.pb.gz    for go tool pprof
	run.*.gpi, goprofinstr.json, tables      for goprofinstr report and export

and a summary is printed to standard error. A program made by wrap go build, go install or go test -c
writes run.*.gpi to the directory $GOPROFINSTR_DIR each time it runs, and makes it if it is missing. If the variable is not set, the program
says so in a line and writes nothing; GOPROFINSTR_DIR=off is for that without the line.`,
	flags: func() flags.Table { return new(wrapFlags).table() },
	notes: `The flags -cover, -covermode, -coverpkg and -coverprofile of go test are answered from the path counts: coverage
is printed to standard error, and packages that -coverpkg selects are instrumented even if -pkg does
not. The go command does not see these flags, so it prints no coverage, and in the tests testing.CoverMode() is "".

Vet, which go test runs before the tests, does not run, whatever -vet says: run go vet.

The data of a wrap that runs are in DIR/running, which can be looked at as DIR can. They take the place of what is in DIR when the
wrap has ended, unless it has failed to run anything, has executed no instrumented code, or was interrupted while it ran tests: then DIR keeps
the profile of an earlier wrap. A second wrap with the same -o waits for the first one.`,
}

func init() { wrapCommand.run = runWrap }

// A wrap is one go command with what is known of it before anything is built.
type wrap struct {
	*goRun
	options wrapFlags
	cover   *coverage
	vetted  bool // by the go command, if it ran without us
}

// runWrap is the pipeline: each step takes what the one before made.
func runWrap(args []string) (exit int, err error) {
	w := &wrap{goRun: new(goRun)}
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
	if w.work, err = newWorkDir(w.options.work); err != nil {
		return 0, err
	}
	defer w.work.remove()
	planned := sync.OnceValues(func() (*coverprofile.Plan, error) { return w.cover.plan(w.cmd, w.tc) })
	go planned() // a process that lists packages, as prepare does
	target, err := w.prepare(planned)
	if err != nil {
		return w.giveUp(wrapCommand, err)
	}
	plan, err := planned()
	if err != nil {
		return w.giveUp(wrapCommand, err)
	}
	goArgs, err := w.goArgs(target)
	if err != nil {
		return 0, err
	}
	if w.show(goArgs, w.options.n, w.options.x) {
		return 0, nil
	}
	if w.out == nil {
		exit, err = w.build(goArgs, target)
	} else {
		exit, err = w.runAndFinish(goArgs, target, plan)
	}
	if err == nil {
		err = w.printInlining(target)
	}
	return exit, err
}

// parse reads the command line. When help was asked for it is printed, and done is true.
func (w *wrap) parse(args []string) (done bool, err error) {
	if w.options.set, done, err = wrapCommand.parse(w.options.table(), args); done || err != nil {
		return done, err
	}
	if w.cmd, err = gocmd.Parse(w.options.set.Args()); err != nil {
		return false, usagef("wrap: %v", err)
	}
	if w.cmd.Help {
		return false, nil
	}
	return false, w.options.check(w.cmd)
}

// check looks at everything that could be wrong before anything is done.
func (w *wrap) check() (err error) {
	if w.tc, err = toolchain.Find(w.cmd); err != nil {
		return err
	}
	if w.cover, err = takeCover(w.cmd, w.tc, w.options.coverprofile); err != nil {
		return err
	}
	if w.cover.On {
		if err := w.options.takesCover(); err != nil {
			return err
		}
	}
	if err := refuse(wrapCommand, w.cmd, w.tc); err != nil {
		return err
	}
	if err := w.settleBackend(); err != nil {
		return err
	}
	if _, fuzz := w.cmd.Lookup("fuzz"); fuzz && w.options.mode == sampled {
		fmt.Fprintln(os.Stderr, "goprofinstr: warning: the fuzzer takes what the sampler does for new coverage; with -fuzz, -mode exact does not mislead it")
	}
	w.out, err = outDir(w.options.out, w.cmd)
	return err
}

// prepare rewrites the packages and lays them out for the go command.
func (w *wrap) prepare(planned func() (*coverprofile.Plan, error)) (*instrument.Target, error) {
	covered, err := w.cover.packages(planned)
	if err != nil {
		return nil, err
	}
	line := progress.New(os.Stderr, "rewriting packages")
	counting := w.options.counting
	counting.Atomic = counting.Atomic || w.cover.Mode == "atomic"
	target, err := instrument.Prepare(w.cmd, w.tc, w.work.path, instrument.Options{
		Patterns: w.options.patterns(),
		Profile:  w.options.profile,
		Without:  w.options.left,
		Mode:     w.options.mode,
		Counting: counting,
		Kinds:    w.options.events,
		Tests:    w.options.tests,
		PerTest:  w.options.perTest,
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

// goArgs returns the command line that makes the go command build instrumented files.
func (w *wrap) goArgs(target *instrument.Target) ([]string, error) {
	gcflags, err := target.Inlining.GoFlags()
	if err != nil {
		return nil, err
	}
	flags, err := w.flags(target.Overlay, gcflags)
	if err != nil {
		return nil, err
	}
	if w.options.counting.Sampling.Native {
		flag, err := toolexecFlag()
		if err != nil {
			return nil, err
		}
		flags = append(flags, flag)
	}
	return w.cmd.Args(flags...), nil
}

// build runs a go command that runs no program of the user's.
func (w *wrap) build(goArgs []string, target *instrument.Target) (exit int, err error) {
	e, err := w.run(goArgs, target.Std)
	if err != nil || e.exit != 0 {
		return e.exit, err
	}
	w.sayVet()
	warnOfOut(w.options.out, w.cmd)
	return 0, printBuilt(target, w.options.v)
}

// runAndFinish runs a go command that runs instrumented programs, and writes what they have counted. The profile of an
// earlier wrap stays where it is until there is a better one.
func (w *wrap) runAndFinish(goArgs []string, target *instrument.Target, plan *coverprofile.Plan) (exit int, err error) {
	if err := lockOutput(w.out); err != nil {
		return 0, err
	}
	defer w.out.Unlock()
	if err := w.start(target, plan); err != nil {
		return 0, errors.Join(err, w.out.Discard())
	}
	e, err := w.run(goArgs, target.Std)
	if err != nil {
		return e.exit, w.giveBack(err)
	}
	return e.exit, w.finish(e, plan)
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
