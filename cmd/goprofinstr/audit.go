package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/instrument"
	"github.com/goprofinstr/goprofinstr/export"
	"github.com/goprofinstr/goprofinstr/export/audit"
	"github.com/goprofinstr/goprofinstr/export/profile"
)

var auditCommand = &command{
	name:  "audit",
	short: "run versions of a function against each other, and say which is faster",
	usage: `usage: goprofinstr audit [flags] [--] go {test|build|run|install} [go flags] [packages] [args]
       goprofinstr audit -from DIR [-format FORMAT]

Audit finds out which version of a function is faster where it is used: in the running program, with its data, caches and
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

	-pgo FILE          audit the functions of -func with and without this profile: they are compiled a second time, as F_pgo, and the calls that
	                   they make in the profile are those of the second; the other functions of the main module, and of packages that they call, are as with
	                   go build -pgo
	-loops=false       time calls only, and no passes through loops
	-profile DIR       time loops by what this exact profile says of them, in place of estimates
	-func LIST         audit only these functions, separated by commas: F, pkg.F or import/path/pkg.F, (*T).M for
	                   methods; default all that have variants
	-pkg PATTERNS      where to look for variants; default the packages of the main module
	-confidence PCT    how sure to be (default 99): an audit whose versions are equally fast says otherwise with a probability of 1% at
	                   most, however long it runs
	-min-effect PCT    the least difference that matters (default 0.5); versions are the same if they certainly differ by less
	-max-time D        decide on a function no later than this after its first timing, on the original if there is
	                   not enough evidence (default 30s); 0 for no limit
	-stop              end the program, by an interrupt, when all functions are decided or their time is over; the exit
	                   code is 0 then
	-o DIR             output directory (default goprofinstr.out); audit.json has all that was found
	-format LIST       what else to write there, separated by commas: html (the default), svg, text, or none; with -from, what to print, once:
	                   text (the default), json, html or svg
	-from DIR          show an earlier audit, or what a program made by audit go build, go install or go test -c has written to
	                   the directory $GOPROFINSTR_DIR: its last 65,536 timings of each function
	-n, -x, -work      as with wrap

Not audited are functions that call recover, those without a body in Go or marked go:nosplit, and those in test files. In a stack trace the original has
another name, and the dispatcher is its caller; lines are as ever. Functions that take less than 100 cycles of the clock are too short. What a version leaves to the next
call (garbage, full or empty caches) is shared by all.
`,
}

func init() { auditCommand.run = runAudit }

// auditFlags are the flags of audit.
type auditFlags struct {
	functions, pkg, out string
	confidence, effect  string
	maxTime             time.Duration
	format, from        string
	pgo, profile        string
	stop, n, x, work    bool
	loops               bool
	sure, margin        float64 // what confidence and effect say
	formats             []string
}

func (f *auditFlags) register(fs *flag.FlagSet) {
	fs.StringVar(&f.functions, "func", "", "")
	fs.StringVar(&f.pkg, "pkg", "", "")
	fs.StringVar(&f.pgo, "pgo", "", "")
	fs.StringVar(&f.profile, "profile", "", "")
	fs.StringVar(&f.out, "o", defaultOut, "")
	fs.StringVar(&f.confidence, "confidence", "99", "")
	fs.StringVar(&f.effect, "min-effect", "0.5", "")
	fs.DurationVar(&f.maxTime, "max-time", 30*time.Second, "")
	fs.StringVar(&f.format, "format", "", "")
	fs.StringVar(&f.from, "from", "", "")
	fs.BoolVar(&f.stop, "stop", false, "")
	fs.BoolVar(&f.loops, "loops", true, "")
	fs.BoolVar(&f.n, "n", false, "")
	fs.BoolVar(&f.x, "x", false, "")
	fs.BoolVar(&f.work, "work", false, "")
}

// check reads the values of flags.
func (f *auditFlags) check() error {
	percent, err := strconv.ParseFloat(strings.TrimSuffix(f.confidence, "%"), 64)
	if err != nil || percent < 50 || percent >= 100 {
		return usagef("audit: -confidence %s: want a percentage from 50 to below 100", f.confidence)
	}
	effect, err := strconv.ParseFloat(strings.TrimSuffix(f.effect, "%"), 64)
	if err != nil || !(effect >= 0 && effect < 100) {
		return usagef("audit: -min-effect %s: want a percentage from 0 to below 100", f.effect)
	}
	if f.pgo != "" && f.functions == "" {
		return usagef("audit: -pgo needs -func, the functions to compile with and without the profile")
	}
	f.sure, f.margin = percent/100, effect/100
	if f.maxTime < 0 {
		return usagef("audit: -max-time %v: want a time, or 0 for no limit", f.maxTime)
	}
	if f.out == "" {
		return usagef("audit: -o needs the name of a directory")
	}
	if err := checkPatterns("audit", fields(f.pkg)); err != nil {
		return err
	}
	return f.checkFormats()
}

func (f *auditFlags) checkFormats() error {
	f.formats = fields(f.format)
	switch {
	case f.from != "" && len(f.formats) == 0:
		f.formats = []string{"text"}
	case len(f.formats) == 0:
		f.formats = []string{"html"}
	case f.from != "" && len(f.formats) > 1:
		return usagef("audit: -from prints one -format, not %d", len(f.formats))
	case f.from == "" && f.format == "none":
		f.formats = nil
	}
	for _, name := range f.formats {
		if audit.Formats[name] == nil {
			return usagef("audit: unknown -format %q; use text, json, html or svg", name)
		}
	}
	return nil
}

// fields splits a list at commas.
func fields(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' })
}

// runAudit is the pipeline of audit.
func runAudit(args []string) (exit int, err error) {
	var f auditFlags
	fs := newFlags(auditCommand)
	f.register(fs)
	if done, err := parse(fs, auditCommand, args); done || err != nil {
		return 0, err
	}
	if err := f.check(); err != nil {
		return 0, err
	}
	if f.from != "" {
		if fs.NArg() > 0 {
			return 0, usagef("audit: -from runs nothing; leave out %s", strings.Join(fs.Args(), " "))
		}
		return 0, f.show(os.Stdout)
	}
	cmd, err := gocmd.Parse(fs.Args())
	if err != nil {
		return 0, usagef("audit: %v", err)
	}
	if cmd.Help {
		return showUsage(cmd)
	}
	return f.run(cmd)
}

// run audits what a go command runs.
func (f *auditFlags) run(cmd *gocmd.Command) (exit int, err error) {
	tc, err := instrument.FindToolchain(cmd)
	if err != nil {
		return 0, err
	}
	if err := refuse(auditCommand, cmd, tc); err != nil {
		return 0, err
	}
	var out *profile.Dir
	if runs(cmd) {
		if out, err = profile.CheckDir(f.out); err != nil {
			return 0, err
		}
	}
	work, err := newWorkDir(f.work)
	if err != nil {
		return 0, err
	}
	defer work.remove()
	target, err := instrument.PrepareAudit(cmd, tc, work.path, instrument.AuditOptions{Patterns: fields(f.pkg), Functions: fields(f.functions), PGO: f.pgo, Profile: f.profile, CallsOnly: !f.loops})
	if err != nil {
		return giveUpAudit(cmd, tc, work, work.about(err))
	}
	flags, err := auditGoFlags(cmd, tc, target, out)
	if err != nil {
		return 0, err
	}
	goArgs := cmd.Args(flags...)
	if f.n || f.x {
		fmt.Fprintln(os.Stderr, shellLine(append([]string{cmd.Go}, goArgs...)))
	}
	if f.n {
		sayRemoved(work)
		return 0, nil
	}
	if target.Std.Missing() {
		fmt.Fprintln(os.Stderr, "goprofinstr: the standard library has to be compiled with our hooks first, once for each toolchain and kind of build")
	}
	defer target.Std.Built()
	if out == nil {
		e, err := run(tc, goArgs, work, nil)
		if err == nil && e.exit == 0 {
			warnOfOut(f.out, cmd)
			fmt.Fprintf(os.Stderr, "goprofinstr: %s with variants; set %s to the directory for the timings when you run what was built, and see goprofinstr help audit, -from\n",
				export.Plural(len(target.Functions), "function"), profile.DirVar)
		}
		return e.exit, err
	}
	return f.runAndWatch(tc, goArgs, target, work, out)
}

// auditGoFlags returns the flags that make the go command build dispatchers.
func auditGoFlags(c *gocmd.Command, tc *instrument.Toolchain, target *instrument.AuditTarget, out *profile.Dir) ([]string, error) {
	ldflags, err := linkFlags(c, tc, out)
	if err != nil {
		return nil, err
	}
	c.Remove("overlay") // is part of ours
	if len(target.GCFlags) > 0 {
		c.Remove("gcflags")
	}
	return slices.Concat([]string{"-overlay=" + target.Overlay}, target.GCFlags, ldflags, testFlags(c)), nil
}

// runAndWatch runs the go command, decides while it runs, and writes what was found.
func (f *auditFlags) runAndWatch(tc *instrument.Toolchain, goArgs []string, target *instrument.AuditTarget, work *workDir, out *profile.Dir) (exit int, err error) {
	if err := lockOutput(out); err != nil {
		return 0, err
	}
	defer out.Unlock()
	if err := out.Start(target.Manifest, nil); err != nil {
		return 0, errors.Join(err, out.Discard())
	}
	w := newWatcher(out.Running(), f)
	w.start()
	e, err := run(tc, goArgs, work, out)
	stopped := w.finish()
	exit = e.exit
	if err != nil {
		return exit, errors.Join(err, out.Discard())
	}
	if earlier := out.HasProfile(); w.runs() == 0 && (exit != 0 || earlier) { // if it has failed, the go command has said why
		if earlier {
			keepEarlier(out, "nothing was run")
		}
		return exit, out.Discard()
	}
	report := w.report(target)
	report.Command, report.Go = target.Manifest.Command, target.Manifest.Go
	fmt.Fprintln(os.Stderr)
	if err := report.WriteText(os.Stderr); err != nil {
		return exit, err
	}
	for _, name := range append([]string{"json"}, f.formats...) {
		if err := writeAudit(out.Running(), name, report); err != nil {
			return exit, errors.Join(err, out.Discard())
		}
	}
	if stopped {
		exit = 0
	}
	return exit, out.Commit()
}

// writeAudit writes a report to the output directory.
func writeAudit(dir, format string, r *audit.Report) error {
	file, err := os.Create(filepath.Join(dir, "audit."+format))
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
	file, err := os.Open(filepath.Join(f.from, "audit.json"))
	if err == nil {
		defer file.Close()
		r, err := audit.ReadJSON(file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file.Name(), err)
		}
		return r, nil
	}
	w := newWatcher(f.from, f)
	w.finish()
	if w.runs() == 0 {
		return nil, fmt.Errorf("%s has no audit: neither audit.json nor run files", f.from)
	}
	r := w.report(nil)
	if len(r.Functions) == 0 {
		return nil, fmt.Errorf("%s has no audit: its run files are of other programs; see goprofinstr help report", f.from)
	}
	slices.SortFunc(r.Functions, func(a, b audit.Function) int { return strings.Compare(a.Name, b.Name) })
	return r, nil
}
