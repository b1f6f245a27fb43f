package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/child"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/glossary"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/outdir"
	"github.com/goprofinstr/goprofinstr/export"
	"github.com/goprofinstr/goprofinstr/export/coverprofile"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/export/profiledir"
	"github.com/goprofinstr/goprofinstr/export/report"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

// What becomes of the data when the wrapped command has ended.

// giveBack ends a wrap whose data cannot be used. What there is stays for a look; the profile of an earlier wrap is
// what it was.
func (w *wrap) giveBack(trouble error) error {
	if p, err := profile.Load(w.Out.Running()); err == nil && len(p.Runs) == 0 {
		return errors.Join(trouble, w.Out.Discard())
	}
	return fmt.Errorf("%w; what was counted is in %s", trouble, outdir.Shown(w.Out.Running()))
}

// sayNothingRun says what becomes of earlier files if nothing was run, and why that may be.
func (w *wrap) sayNothingRun(misplaced string) {
	const nothing = "nothing was run"
	switch {
	case w.Out != nil && w.Out.HasProfile():
		outdir.SayKept(w.Out, nothing+misplaced)
	case misplaced != "":
		fmt.Fprintf(os.Stderr, "goprofinstr: %s%s\n", nothing, misplaced)
	}
	w.cover.SayUnwritten()
}

// finish writes the pprof files and the coverage, prints the summary, and puts all in the place of an earlier
// profile, if it is worth that.
func (w *wrap) finish(e child.Ending, plan *coverprofile.Plan) error {
	p, err := profile.Load(w.Out.Running())
	if err != nil {
		return w.giveBack(err)
	}
	if len(p.Runs) == 0 && e.Exit != 0 { // the go command has said why
		misplaced := ""
		if len(w.Cmd.Packages) == 0 { // a flag may have been taken for them; else what is wrong is in them
			misplaced = w.misplaced()
		}
		w.sayNothingRun(misplaced)
		return w.Out.Discard()
	}
	why, missing := w.unfinished(e, p, plan)
	if why != "" && w.Out.HasProfile() {
		return w.keep(e, p, plan, why)
	}
	if why != "" && (e.Interrupted || w.misplaced() != "") {
		fmt.Fprintf(os.Stderr, "goprofinstr: %s\n", why)
	}
	if len(missing) > 0 {
		p.NotRun = missing
	}
	if err := w.amend(missing, e.Exit == 0 && why == ""); err != nil {
		return w.giveBack(err)
	}
	if err := export.WriteDir(w.Out.Running(), p); err != nil {
		return w.giveBack(err)
	}
	if err := w.Out.Commit(); err != nil {
		return err
	}
	return w.summarize(p, plan)
}

// amend notes in the manifest what is known at the end only: the packages whose tests have not run, and the commit if all passed.
func (w *wrap) amend(missing []string, passed bool) error {
	commit := w.state.Clean()
	passed = passed && len(missing) == 0 && commit != ""
	if !passed && len(missing) == 0 {
		return nil
	}
	return w.Out.Amend(func(m *profiledir.Manifest) {
		m.NotRun = missing
		if passed {
			m.Commit = commit
		}
	})
}

// summarize prints what was found.
func (w *wrap) summarize(p *profile.Profile, plan *coverprofile.Plan) error {
	if w.options.v {
		for _, f := range p.Functions() {
			printDeclined(f.Table)
		}
	}
	if w.cached > 0 {
		fmt.Fprintf(os.Stderr, "goprofinstr: %s cached: what their tests have counted is of an earlier run\n", show.Plural(w.cached, "package"))
	}
	summary := func(out io.Writer) error { return report.WriteSummary(out, p) }
	// Who has read enough, as in 2>&1 | head, has a profile and an exit code all the same.
	if err := glossary.Explain(os.Stderr, glossary.Lines, summary); err != nil && !errors.Is(err, syscall.EPIPE) {
		return err
	}
	return w.writeCoverage(w.Out.Path, p, plan)
}

// writeCoverage writes the coverage that was asked for, of the runs in a directory.
func (w *wrap) writeCoverage(dir string, p *profile.Profile, plan *coverprofile.Plan) error {
	tool := coverprofile.Tool{Go: w.Toolchain.Go, Dir: w.Cmd.Dir, Env: w.Toolchain.Environ()}
	return w.cover.Write(dir, p, plan, tool)
}

// unfinished returns why a profile is not what the user wanted to have, or "", and the packages under test that did
// not run.
func (w *wrap) unfinished(e child.Ending, p *profile.Profile, plan *coverprofile.Plan) (why string, missing []string) {
	if len(w.executed(p)) == 0 && p.Certainty() >= profile.Whether {
		return "no instrumented code was executed" + w.misplaced(), nil
	}
	if plan == nil || e.Exit == 0 {
		return "", nil
	}
	began, missing, err := plan.Missing(w.Out.Running(), p, w.options.pkg == "")
	switch {
	case e.Interrupted:
		return "interrupted", missing
	case err != nil: // it cannot be known
		return "", nil
	case !began:
		return "no test began" + w.misplaced(), nil
	}
	return "", missing
}

// misplaced says which flag of wrap is among the flags of test binaries, or returns "".
func (w *wrap) misplaced() string {
	if w.Cmd.Verb != "test" {
		return ""
	}
	for i, word := range w.Cmd.Rest {
		name, _, _ := strings.Cut(strings.TrimLeft(word, "-"), "=")
		if word == "--" || i == 0 && name == "args" {
			return "" // the others are for the user's own code
		}
		if strings.HasPrefix(word, "-") && w.options.set.Lookup(name) != nil {
			return fmt.Sprintf("; wrap takes -%s before the go command", name)
		}
	}
	return ""
}

// executed returns the functions that were executed: by tests, for go test, and not only when packages were
// initialized.
func (w *wrap) executed(p *profile.Profile) (list []*profile.Function) {
	for _, f := range p.Functions() {
		if f.Entries > 0 && (w.Cmd.Verb != "test" || !isInitializer(f)) {
			list = append(list, f)
		}
	}
	return list
}

// isInitializer reports whether a function is an init function.
func isInitializer(f *profile.Function) bool {
	return strings.HasPrefix(f.Table.Name, f.Package+".init.")
}

// keep leaves an earlier profile where it is. Coverage is of this wrap, and written if the go command has not failed.
func (w *wrap) keep(e child.Ending, p *profile.Profile, plan *coverprofile.Plan, why string) (err error) {
	executed := len(w.executed(p)) > 0
	if executed {
		fmt.Fprintf(os.Stderr, "goprofinstr: %s: %s keeps the earlier profile; what was counted is in %s\n",
			why, outdir.Shown(w.Out.Path), outdir.Shown(w.Out.Running()))
	} else {
		outdir.SayKept(w.Out, why)
	}
	if e.Exit == 0 {
		err = w.writeCoverage(w.Out.Running(), p, plan)
	} else {
		w.cover.SayUnwritten()
	}
	if executed {
		return err
	}
	return errors.Join(err, w.Out.Discard())
}
