package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/toolchain"
	"github.com/goprofinstr/goprofinstr/export"
	"github.com/goprofinstr/goprofinstr/export/coverprofile"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/export/report"
)

// What becomes of the data when the wrapped command has ended.

// giveBack ends a wrap whose data cannot be used. What there is stays for a look; the profile of an earlier wrap is
// what it was.
func (w *wrap) giveBack(trouble error) error {
	if p, err := profile.Load(w.out.Running()); err == nil && len(p.Runs) == 0 {
		return errors.Join(trouble, w.out.Discard())
	}
	return fmt.Errorf("%w; what was counted is in %s", trouble, shown(w.out.Running()))
}

// finish writes the pprof files and the coverage, prints the summary, and puts all in the place of an earlier
// profile, if it is worth that.
func (w *wrap) finish(e ending, plan *coverprofile.Plan) error {
	p, err := profile.Load(w.out.Running())
	if err != nil {
		return w.giveBack(err)
	}
	if len(p.Runs) == 0 && e.exit != 0 { // the go command has said why
		if w.out.HasProfile() {
			keepEarlier(w.out, "nothing was run")
		}
		return w.out.Discard()
	}
	why, missing := w.unfinished(e, p, plan)
	if why != "" && w.out.HasProfile() {
		return w.keep(p, why)
	}
	if len(missing) > 0 {
		if err := w.out.SetNotRun(missing); err != nil {
			return w.giveBack(err)
		}
		p.NotRun = missing
	}
	if err := export.WriteDir(w.out.Running(), p); err != nil {
		return w.giveBack(err)
	}
	if err := w.out.Commit(); err != nil {
		return err
	}
	return w.summarize(p, plan)
}

// summarize prints what was found.
func (w *wrap) summarize(p *profile.Profile, plan *coverprofile.Plan) error {
	if w.options.v {
		for _, f := range p.Functions() {
			printDeclined(f.Table)
		}
	}
	if err := report.WriteSummary(os.Stderr, p); err != nil {
		return err
	}
	w.sayVet()
	return w.cover.finish(w.out.Path, p, plan, coverprofile.Tool{Go: w.tc.Go, Dir: w.cmd.Dir, Env: w.tc.Environ()})
}

// vets reports whether a go command vets packages.
func vets(c *gocmd.Command, tc *toolchain.Toolchain) bool {
	if c.Verb != "test" {
		return false
	}
	value, _ := tc.Lookup(c, "vet")
	return value != "off"
}

// unfinished returns why a profile is not what the user wanted to have, or "", and the packages under test that did
// not run.
func (w *wrap) unfinished(e ending, p *profile.Profile, plan *coverprofile.Plan) (why string, missing []string) {
	if len(w.executed(p)) == 0 && p.Certainty() >= profile.Whether {
		return "no instrumented code was executed" + w.misplaced(), nil
	}
	if plan == nil || e.exit == 0 {
		return "", nil
	}
	if e.interrupted {
		return "interrupted", nil
	}
	began, missing, err := plan.Missing(w.out.Running(), p, w.options.pkg == "")
	switch {
	case err != nil: // it cannot be known
		return "", nil
	case !began:
		return "no test began" + w.misplaced(), nil
	}
	return "", missing
}

// misplaced says which flag of wrap is among the flags of test binaries, or returns "".
func (w *wrap) misplaced() string {
	if w.cmd.Verb != "test" {
		return ""
	}
	for _, word := range w.cmd.Rest {
		name, _, _ := strings.Cut(strings.TrimLeft(word, "-"), "=")
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
		if f.Entries > 0 && (w.cmd.Verb != "test" || !isInitializer(f)) {
			list = append(list, f)
		}
	}
	return list
}

// isInitializer reports whether a function is an init function.
func isInitializer(f *profile.Function) bool {
	return strings.HasPrefix(f.Table.Name, f.Package+".init.")
}

// keep leaves an earlier profile where it is.
func (w *wrap) keep(p *profile.Profile, why string) error {
	if len(w.executed(p)) == 0 {
		keepEarlier(w.out, why)
		return w.out.Discard()
	}
	fmt.Fprintf(os.Stderr, "goprofinstr: %s: %s keeps the earlier profile; what was counted is in %s\n",
		why, shown(w.out.Path), shown(w.out.Running()))
	return nil
}
