package cli

import (
	"errors"
	"flag"
	"fmt"
	"go/scanner"
	"go/types"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/auditwatch"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/flags"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gorun"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/instrument"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/outdir"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/progress"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/sourceroot"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/usage"
	"github.com/goprofinstr/goprofinstr/export/audit"
	"github.com/goprofinstr/goprofinstr/export/profiledir"
	"github.com/goprofinstr/goprofinstr/internal/show"
	rtaudit "github.com/goprofinstr/goprofinstr/rt/audit"
)

var auditCommand = &command{
	name:  "audit",
	run:   runAudit,
	wraps: true,
	short: "run versions of a function against each other, and say which is faster",
	synopsis: `goprofinstr audit [flags] [--] go {test|build|run|install} [go flags] [packages] [args]
goprofinstr audit -from DIR [-format FORMAT]`,
	about: `Audit finds out which version of a function is faster where it is used: in the running program, with its data, caches and
garbage. A version B of Parse is declared beside it, with the same signature, by

	//goprofinstr:variant of=Parse
	func parseB(s string) (int, error) {

and C, D and so on by others. Methods are named Parse, in a method of the same type, or (*T).Parse, in a function with the receiver as its
first parameter, too. Generic functions and methods of generic types work alike.

Each call of Parse then picks a version at random, calls it, and records the time until it returns; that includes what it calls.
The results are those of the version picked. As soon as it is certain which is faster, or that there is no difference, audit says so on standard
error, and from then on all calls get the faster one, untimed. The command runs to its end, with its own output and exit code; a
benchmark's own times are those of a mixture. Calls inside of others, on the same goroutine, are part of those. Versions that panic or have
not returned in the end are counted, not timed.

With -base, the versions are those of two commits: the functions that have changed, and what they were at the merge base. Each is
judged by its own change. What their state is in, or leads out of the package, may keep two versions of a function from being in one
program; those are listed. Nothing is checked out: git is asked for the text of files.`,
	flags: func() flags.Table { return new(auditFlags).table() },
	notes: `Audit runs go test without vet. Not audited are functions that call recover, those without a body in Go or marked
go:nosplit, and those in test files. In a stack trace the original has
another name, and the dispatcher is its caller; lines are as ever. Functions that take less than 100 cycles of the clock are too short. What a version leaves to the next
call (garbage, full or empty caches) is shared by all.

` + currentFolder,
	examples: `goprofinstr audit go test -run '^$' -bench . ./...      # benchmarks call the versions
goprofinstr audit -stop go run . input.txt              # end when all is decided
goprofinstr audit -pgo cpu.pprof -func Parse go test -bench .
goprofinstr audit -base origin/main -fail-if-slower 2% go test -bench . ./...  # is it slower than before?
goprofinstr audit -from goprofinstr.out                 # print the result once more`,
}

// runAudit is the pipeline of audit.
func runAudit(c *command, args []string) (exit int, err error) {
	began := time.Now()
	var f auditFlags
	fs, done, err := c.parse(f.table(), args)
	if done || err != nil {
		return 0, err
	}
	fs.Visit(func(given *flag.Flag) { f.given = append(f.given, given.Name) })
	if err := f.check(); err != nil {
		return 0, err
	}
	if f.from != "" {
		if fs.NArg() > 0 {
			return 0, usage.Errorf("-from runs nothing; leave out %s", strings.Join(fs.Args(), " "))
		}
		return 0, f.show(os.Stdout)
	}
	cmd, err := c.parseGo(fs)
	if err != nil {
		return 0, err
	}
	if cmd.Help {
		return gorun.ShowUsage(cmd)
	}
	return auditGo(&f, cmd, f.until(began, cmd.Verb))
}

// An auditing is one go command with what audit knows of it.
type auditing struct {
	*gorun.Run
	options *auditFlags
	until   time.Time // when its budget is over; zero for none
}

// auditGo is the pipeline for what a go command runs.
func auditGo(f *auditFlags, cmd *gocmd.Command, until time.Time) (exit int, err error) {
	r, err := gorun.New(cmd)
	if err != nil {
		return 0, err
	}
	r.DryRun = f.n
	if err := f.checkRuns(r); err != nil {
		return 0, err
	}
	if err := r.Refuse(false); err != nil {
		return 0, err
	}
	if err := refuseVet(r); err != nil {
		return 0, err
	}
	if err := r.Begin(f.out, f.work); err != nil {
		return 0, err
	}
	defer r.End()
	a := &auditing{r, f, until}
	stop := r.Progress.Watch(progress.Building())
	target, err := instrument.PrepareAudit(cmd, r.Toolchain, r.Folder(), f.prepared())
	stop()
	r.Progress.Close()
	if err != nil {
		return a.giveUp(r.Explain(err))
	}
	for _, text := range target.Warnings {
		fmt.Fprintf(os.Stderr, "goprofinstr: warning: %s\n", text)
	}
	if target.Base != nil {
		target.Base.Base.Limit = f.limit
		r.Link = append(r.Link, alignFunctions)
		if len(target.Functions) == 0 {
			return a.nothingToCompare(target)
		}
	}
	goArgs, err := r.Args(target.Overlay, target.GCFlags)
	if err != nil {
		return 0, err
	}
	if r.Show(goArgs, f.x) {
		return 0, nil
	}
	if r.Out == nil {
		return a.build(goArgs, target)
	}
	return a.runAndWatch(goArgs, target)
}

// refuseVet refuses to vet for a user who asks for it. What go test vets by default is no part of an audit.
func refuseVet(r *gorun.Run) error {
	value, _ := r.Toolchain.Lookup(r.Cmd, "vet")
	if r.Cmd.Verb != "test" || value == "" || value == "off" {
		return nil
	}
	return usage.Errorf("-vet=%s: audits do not vet; use -vet=off, and run go test -vet=%[1]s without goprofinstr", value)
}

// alignFunctions has the linker lay functions at the beginning of a cache line. Code of the same instructions is then laid
// out alike in all copies.
const alignFunctions = "-funcalign=64"

// giveUp ends an audit that cannot be prepared. What does not compile the go command says in its own words,
// and positions of mistakes that are ours to tell are shown as it shows them.
func (a *auditing) giveUp(trouble error) (exit int, err error) {
	var syntax scanner.ErrorList
	var typing types.Error
	var listing instrument.BrokenPackage
	var position *scanner.Error
	var mistake *usage.Error
	switch {
	case errors.As(trouble, &mistake), errors.As(trouble, &syntax), errors.As(trouble, &typing),
		errors.As(trouble, &listing):
		return a.GiveUp(trouble)
	case errors.As(trouble, &position):
		shown := *position
		shown.Pos.Filename = show.ShortPath(a.Cmd.Dir, shown.Pos.Filename)
		return 0, &shown
	}
	return 0, trouble
}

// build runs a go command that runs no program of the user's.
func (a *auditing) build(goArgs []string, target *instrument.AuditTarget) (exit int, err error) {
	e, err := a.Execute(goArgs, target.Std)
	if err == nil && e.Exit == 0 {
		a.WarnOfOut()
		fmt.Fprintf(os.Stderr, "goprofinstr: %s with variants; set %s to the directory for the timings "+
			"when you run what was built, and see goprofinstr help audit, -from\n",
			show.Plural(len(target.Functions), "function"), profiledir.Var)
	}
	return e.Exit, err
}

// runAndWatch runs the go command, decides while it runs, and writes what was found.
func (a *auditing) runAndWatch(goArgs []string, target *instrument.AuditTarget) (exit int, err error) {
	out := a.Out
	if err := outdir.Lock(out); err != nil {
		return 0, err
	}
	defer out.Unlock()
	if err := out.Start(target.Manifest, nil); err != nil {
		return 0, errors.Join(err, out.Discard())
	}
	options := a.options.watching(target)
	options.Until = a.until
	w := auditwatch.New(out.Running(), options)
	a.Interrupt = w.Over()
	w.Start()
	e, err := a.Execute(goArgs, target.Std)
	stopped := w.Finish()
	exit = e.Exit
	report := w.Report(target.Functions)
	if err != nil && !anyCalled(report) {
		return exit, errors.Join(err, out.Discard())
	}
	// If it has failed, the go command has said why.
	if earlier := out.HasProfile(); w.Runs() == 0 && (exit != 0 || earlier) {
		if earlier {
			outdir.SayKept(out, "nothing was run")
		}
		return exit, out.Discard()
	}
	report.Command, report.Go = target.Manifest.Command, target.Manifest.Go
	report.AddSources(target.Manifest.Root)
	a.compare(report, target)
	if stopped {
		exit = 0
	}
	if exit == 0 && report.Base != nil && report.Base.Failed > 0 {
		exit = 1
	}
	return exit, errors.Join(err, a.keep(report)) // what was timed is there also if a signal has ended the go command
}

// keep tells what was found, and writes it to the output directory.
func (a *auditing) keep(report *audit.Report) error {
	out := a.Out
	fmt.Fprintln(os.Stderr)
	// Who has read enough, as in 2>&1 | head, has the audit all the same.
	if err := report.WriteText(os.Stderr); err != nil && !errors.Is(err, syscall.EPIPE) {
		return err
	}
	a.sayUncalled(report)
	for _, name := range append([]string{"json"}, a.options.formats...) {
		if err := writeAudit(out.Running(), name, report); err != nil {
			return errors.Join(err, out.Discard())
		}
	}
	sayReplaced(out)
	return out.Commit()
}

// compare has a report tell what has become of functions since the base, with their sources then.
func (a *auditing) compare(report *audit.Report, target *instrument.AuditTarget) {
	if target.Base == nil {
		return
	}
	for i := range report.Functions {
		f := &report.Functions[i]
		name, _, _ := strings.Cut(f.Name, rtaudit.LoopMark)
		if at, ok := target.Base.Sources[name]; ok && len(f.Versions) > 1 {
			v := &f.Versions[1]
			v.Name, v.File, v.Line, v.Source = at.Name, at.File, at.Line, at.Source
		}
	}
	report.Judge(&target.Base.Base)
}

// nothingToCompare ends an audit against a base since which no function has changed that can be audited. The command does not
// run.
func (a *auditing) nothingToCompare(target *instrument.AuditTarget) (exit int, err error) {
	report := &audit.Report{Confidence: a.options.sure, Command: target.Manifest.Command, Go: target.Manifest.Go}
	report.Judge(&target.Base.Base)
	if a.Out == nil || a.options.n {
		return 0, report.WriteText(os.Stderr)
	}
	if err := outdir.Lock(a.Out); err != nil {
		return 0, err
	}
	defer a.Out.Unlock()
	if err := a.Out.Start(target.Manifest, nil); err != nil {
		return 0, errors.Join(err, a.Out.Discard())
	}
	return 0, a.keep(report)
}

// sayReplaced tells that the audit takes the place of a profile.
func sayReplaced(out *profiledir.Dir) {
	_, err := os.Stat(filepath.Join(profiledir.Current(out.Path), profiledir.Audit("json")))
	if out.HasProfile() && err != nil {
		fmt.Fprintf(os.Stderr, "goprofinstr: %s has the audit now, and its earlier profile no more; -o keeps them apart\n", outdir.Shown(out.Path))
	}
}

// sayUncalled tells what to do if there is nothing to decide on, since the tests do not call the versions.
func (a *auditing) sayUncalled(r *audit.Report) {
	if _, bench := a.Toolchain.Lookup(a.Cmd, "bench"); !bench && len(r.Functions) > 0 && a.Cmd.Verb == "test" && !anyCalled(r) {
		fmt.Fprintln(os.Stderr, "goprofinstr: no version was called: run benchmarks that call them, as in "+
			"goprofinstr audit go test -bench . ./..., or a program")
	}
}

// anyCalled reports whether a version of any function was called.
func anyCalled(r *audit.Report) bool {
	return slices.ContainsFunc(r.Functions, func(f audit.Function) bool {
		return slices.ContainsFunc(f.Versions, func(v audit.Version) bool { return v.Calls > 0 })
	})
}

// writeAudit writes a report to the output directory.
func writeAudit(dir, format string, r *audit.Report) error {
	file, err := os.Create(filepath.Join(dir, profiledir.Audit(format)))
	if err != nil {
		return err
	}
	if err := audit.Formats[format](r, file); err != nil {
		file.Close()
		return err
	}
	return file.Close()
}

// show prints an earlier audit.
func (f *auditFlags) show(w io.Writer) error {
	r, err := f.read()
	if err != nil {
		return err
	}
	return audit.Formats[f.formats[0]](r, w)
}

// read reads an audit that was decided, or decides from the timings that programs have left.
func (f *auditFlags) read() (*audit.Report, error) {
	from := profiledir.Current(f.from)
	file, err := os.Open(filepath.Join(from, profiledir.Audit("json")))
	if err == nil {
		defer file.Close()
		if names := f.among(decisive); len(names) > 0 {
			return nil, usage.Errorf("%s has been decided; leave out %s", file.Name(), strings.Join(names, " and "))
		}
		r, err := audit.ReadJSON(file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file.Name(), err)
		}
		return r, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	w := auditwatch.New(from, f.watching(new(instrument.AuditTarget)))
	w.Finish()
	if w.Runs() == 0 {
		return nil, fmt.Errorf("%s has no audit: neither audit.json nor run files", f.from)
	}
	r := w.Report(nil)
	if len(r.Functions) == 0 {
		return nil, fmt.Errorf("%s has no audit: its run files are of other programs; see goprofinstr help report", f.from)
	}
	slices.SortFunc(r.Functions, func(a, b audit.Function) int { return strings.Compare(a.Name, b.Name) })
	if dir, err := os.Getwd(); err == nil {
		if root, module := sourceroot.Module(dir); module != "" {
			r.FindSources(root, module)
		}
	}
	return r, nil
}
