package main

import (
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/instrument"
	"github.com/goprofinstr/goprofinstr/export"
	"github.com/goprofinstr/goprofinstr/export/coverprofile"
	"github.com/goprofinstr/goprofinstr/export/profile"
)

var wrapCommand = &command{
	name:  "wrap",
	short: "run a go command and count the paths of what it builds",
	usage: `usage: goprofinstr wrap [flags] [--] go {test|build|run|install} [go flags] [packages] [args]

Wrap runs a go command on instrumented copies of the packages; the files themselves
are not touched. The output, the exit code, the standard input and the arguments are those
of the go command. After go test and go run the output directory holds

	paths.pb.gz, edges.pb.gz, calls.pb.gz    for go tool pprof
	run.*.gpi, goprofinstr.json, tables      for goprofinstr report and export

and a summary is printed to standard error. A program made by wrap go build, go install or go test -c
writes run.*.gpi to the directory $GOPROFINSTR_DIR each time it runs.

	-mode exact        count every path; the only mode so far
	-pkg PATTERNS      what to instrument, separated by commas: import paths, with ... as in go help
	                   packages, std, or all; default the packages of the main module
	-o DIR             output directory (default goprofinstr.out); replaces an earlier
	                   wrap's data there, refuses a folder that is not empty and not its own
	-tests             instrument _test.go files, too
	-coverprofile FILE write a Go coverage profile (mode count), as go test -coverprofile does
	-atomic            lose no count when goroutines run the same code at the same time
	-n                 print the go command and do not run it
	-x                 print the go command and run it
	-v                 list every declined function with the reason
	-work              print the name of the temporary folder and keep it

The flags -cover, -covermode, -coverpkg and -coverprofile of go test are answered from the path counts: coverage
is printed to standard error, and packages that -coverpkg selects are instrumented even if -pkg does
not. The go command does not see these flags, so it prints no coverage, and in the tests testing.CoverMode() is "".
`,
}

func init() { wrapCommand.run = runWrap }

// wrapFlags are the flags of wrap.
type wrapFlags struct {
	mode, pkg, out  string
	atomic, n, x, v bool
	work, tests     bool
	coverprofile    string
}

func (f *wrapFlags) register(fs *flag.FlagSet) {
	fs.StringVar(&f.mode, "mode", "exact", "")
	fs.StringVar(&f.pkg, "pkg", "", "")
	fs.StringVar(&f.out, "o", "goprofinstr.out", "")
	fs.StringVar(&f.coverprofile, "coverprofile", "", "")
	fs.BoolVar(&f.atomic, "atomic", false, "")
	fs.BoolVar(&f.tests, "tests", false, "")
	fs.BoolVar(&f.n, "n", false, "")
	fs.BoolVar(&f.x, "x", false, "")
	fs.BoolVar(&f.v, "v", false, "")
	fs.BoolVar(&f.work, "work", false, "")
}

// runWrap is the pipeline: each step takes what the one before made.
func runWrap(args []string) (exit int, err error) {
	var flags wrapFlags
	fs := newFlags(wrapCommand)
	flags.register(fs)
	if done, err := parse(fs, wrapCommand, args); done || err != nil {
		return 0, err
	}
	cmd, err := gocmd.Parse(fs.Args())
	if err != nil {
		return 0, usagef("wrap: %v", err)
	}
	if err := flags.check(cmd); err != nil {
		return 0, err
	}
	tc, err := instrument.FindToolchain(cmd)
	if err != nil {
		return 0, err
	}
	cover, err := takeCover(cmd, tc, flags.coverprofile)
	if err != nil {
		return 0, err
	}
	if err := refuse(cmd, tc); err != nil {
		return 0, err
	}
	var out *profile.Dir
	if runs(cmd) {
		if out, err = profile.CheckDir(flags.out); err != nil {
			return 0, err
		}
	}
	work, err := os.MkdirTemp("", "goprofinstr-")
	if err != nil {
		return 0, err
	}
	if flags.work {
		fmt.Fprintf(os.Stderr, "WORK=%s\n", work)
	} else {
		defer os.RemoveAll(work)
	}

	plan, err := cover.plan(cmd, tc)
	if err != nil {
		return giveUp(cmd, tc, err)
	}
	target, err := instrument.Prepare(cmd, tc, work, instrument.Options{
		Patterns: flags.patterns(), Atomic: flags.atomic || cover.Mode == "atomic", Tests: flags.tests,
		Covered: cover.packages(plan),
	})
	if err != nil {
		return giveUp(cmd, tc, err)
	}
	if target.Warning != "" {
		fmt.Fprintf(os.Stderr, "goprofinstr: warning: %s\n", target.Warning)
	}
	goArgs := cmd.Args(goFlags(cmd, target.Overlay)...)
	if flags.n || flags.x {
		fmt.Fprintf(os.Stderr, "%s %s\n", cmd.Go, strings.Join(goArgs, " "))
	}
	if flags.n {
		return 0, nil
	}
	if out == nil {
		exit, err = run(tc, goArgs, "")
		if err == nil && exit == 0 {
			printBuilt(target)
		}
		return exit, err
	}
	if err := start(out, target, plan, cover); err != nil {
		return 0, err
	}
	exit, err = run(tc, goArgs, out.Path)
	if err != nil {
		return exit, err
	}
	p, err := finish(out, exit, flags.v)
	if p == nil || err != nil {
		return exit, err
	}
	return exit, cover.finish(out, p, plan, coverprofile.Tool{Go: tc.Go, Dir: cmd.Dir, Env: tc.Environ()})
}

// start makes the output directory and the coverage profiles ready for the runs.
func start(out *profile.Dir, target *instrument.Target, plan *coverprofile.Plan, cover *coverage) error {
	if err := coverprofile.RemovePlan(out.Path); err != nil {
		return err
	}
	if err := out.Start(target.Manifest, target.Tables); err != nil {
		return err
	}
	if plan != nil {
		if err := plan.Write(out.Path); err != nil {
			return err
		}
	}
	return cover.start()
}

// finish writes the pprof files, prints the summary and returns the profile; nil if nothing ran.
func finish(out *profile.Dir, exit int, verbose bool) (*profile.Profile, error) {
	p, err := profile.Load(out.Path)
	if err != nil {
		return nil, err
	}
	if len(p.Runs) == 0 && exit != 0 { // the go command has said why
		if err := coverprofile.RemovePlan(out.Path); err != nil {
			return nil, err
		}
		return nil, out.Discard()
	}
	if err := export.WriteDir(out.Path, p); err != nil {
		return nil, err
	}
	if verbose {
		printDeclined(p)
	}
	return p, export.WriteSummary(os.Stderr, p)
}
