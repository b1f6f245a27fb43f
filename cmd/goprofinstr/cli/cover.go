package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/flags"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gitdiff"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/guess"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/usage"
	"github.com/goprofinstr/goprofinstr/export"
	"github.com/goprofinstr/goprofinstr/export/covdata"
	"github.com/goprofinstr/goprofinstr/export/coverage"
	"github.com/goprofinstr/goprofinstr/export/coverprofile"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

var coverCommand = &command{
	name:     "cover",
	run:      runCover,
	short:    "print the coverage of each package",
	synopsis: `goprofinstr cover [DIR]`,
	about: `Cover prints how much of the statements, branches and conditions of each package was executed in the runs of the profile
in DIR (default goprofinstr.out), and of all packages together. Its lines begin as those of go tool covdata percent. The
programs may be running, or have been killed. Of a sampled profile, what was not seen counts as not covered.`,
	flags: func() flags.Table { return new(coverFlags).table() },
	examples: `goprofinstr cover                                       # of the last wrap here
goprofinstr cover /var/lib/shop/profile                 # of a service, while it runs`,
}

// coverFlags are the flags of cover.
type coverFlags struct{ chosen chosen }

func (f *coverFlags) table() flags.Table {
	return flags.Table{Column: 18, Flags: chosenFlags(&f.chosen)}
}

func runCover(c *command, args []string) (int, error) {
	var f coverFlags
	fs, done, err := c.parse(f.table(), args)
	if done || err != nil {
		return 0, err
	}
	dir, err := c.dir(fs)
	if err != nil {
		return 0, err
	}
	p, err := load(dir, f.chosen)
	if err != nil {
		return 0, err
	}
	warnStale(dir)
	warnUnknown(p)
	w := bufio.NewWriter(os.Stdout)
	writePercentages(w, p)
	if err := w.Flush(); err != nil {
		return 0, err
	}
	return 0, nil
}

// writePercentages writes a line for each package, and one for all.
func writePercentages(w io.Writer, p *profile.Profile) {
	for _, pkg := range p.Packages {
		c := pkg.Coverage()
		fmt.Fprintf(w, "\t%s\t\t%s\n", show.Printable(pkg.Path), percentages(&c))
	}
	if len(p.Packages) != 1 {
		c := p.Coverage()
		fmt.Fprintf(w, "\ttotal\t\t%s\n", percentages(&c))
	}
}

// percentages returns "coverage: 75.0% of statements, 66.7% of branches, 50.0% of outcomes of conditions", without what
// there is none of.
func percentages(c *profile.Coverage) string {
	var parts []string
	for _, m := range []struct {
		executed, all int
		what          string
	}{
		{c.StatementsExecuted, c.Statements, "statements"},
		{c.BranchesExecuted, c.Branches, "branches"},
		{c.ConditionsExecuted, c.Conditions, "outcomes of conditions"},
	} {
		if m.all > 0 {
			parts = append(parts, fmt.Sprintf("%.1f%% of %s", 100*float64(m.executed)/float64(m.all), m.what))
		}
	}
	if len(parts) == 0 {
		return "coverage: [no statements]"
	}
	return "coverage: " + strings.Join(parts, ", ")
}

// sourcesOf returns the files that the profile in directory dir has counts of. ByTool is described at coverprofile.Sources.
func sourcesOf(dir string, p *profile.Profile, byTool bool) ([]coverprofile.Source, error) {
	plan, err := readPlan(dir, p)
	if err != nil && !errors.Is(err, coverprofile.ErrNoPlan) {
		return nil, err
	}
	return coverprofile.Sources(p, plan, byTool)
}

// coverageWriter returns what writes coverage in the format of another tool. Names are relative to the root of the
// repository, as those of check are.
func coverageWriter(write func(*coverage.Report, io.Writer) error) writer {
	return func(w io.Writer, dir string, p *profile.Profile) error {
		sources, err := sourcesOf(dir, p, false)
		if err != nil {
			return err
		}
		r := coverage.New(p, sources, gitdiff.Prefix(p.Root))
		if err := warnCoverage(r); err != nil {
			return err
		}
		if len(r.Files) == 0 {
			return fmt.Errorf("%s: the coverage of no file is known", dir)
		}
		return write(r, w)
	}
}

// warnCoverage says what a report lacks, and what in it is not sure.
func warnCoverage(r *coverage.Report) error {
	if err := coverprofile.WriteMissing(os.Stderr, r.Missing); err != nil {
		return err
	}
	if r.Outside > 0 {
		fmt.Fprintf(os.Stderr, "goprofinstr: warning: left out: %s outside of the module or workspace\n", show.Plural(r.Outside, "file"))
	}
	if u := r.Unsure; u != (coverage.Unsure{}) {
		warnUnseen(fmt.Sprintf("%s and %s", show.Plural(u.Lines, "line"), outcomes(u.Branches)))
	}
	return nil
}

// warnUnknown says how much of a profile is not known.
func warnUnknown(p *profile.Profile) {
	unknown := 0
	for _, f := range p.Functions() {
		for _, c := range f.Conditions() {
			unknown += 2 - c.Outcomes() - c.Never()
		}
	}
	if unknown > 0 {
		warnUnseen(outcomes(unknown))
	}
}

func warnUnseen(what string) {
	fmt.Fprintf(os.Stderr, "goprofinstr: warning: paths were sampled: %s that were not seen count as not covered, and may have been executed\n", what)
}

// outcomes returns "1 outcome of conditions" or "3 outcomes of conditions".
func outcomes(n int) string { return show.Plural(n, "outcome") + " of conditions" }

// exportCovdata writes the profile in the one directory of the command line as coverage data to a directory.
func (c *command) exportCovdata(f *exportFlags, dir string, p *profile.Profile) error {
	if !slices.Contains(coverprofile.Modes, f.coverMode) {
		return usage.Errorf("unknown -covermode %q%s; want one of %s", f.coverMode,
			guess.Hint(f.coverMode, "", coverprofile.Modes), strings.Join(coverprofile.Modes, ", "))
	}
	if f.out == "" {
		return usage.Errorf("-format covdata is a directory; want -o DIR")
	}
	sources, err := sourcesOf(dir, p, true) // the order of extents is part of the data
	if err != nil {
		return err
	}
	if err := coverprofile.WriteMissing(os.Stderr, coverprofile.MissingOf(sources)); err != nil {
		return err
	}
	warnUnknown(p)
	return covdata.Write(f.out, p, sources, covdata.Options{
		Mode: f.coverMode, Modules: modulesOf(p, sources), Order: initOrder(dir), Replace: export.Replace,
	})
}

// modulesOf returns the path of the module of each package, as the go command has it.
func modulesOf(p *profile.Profile, sources []coverprofile.Source) map[string]string {
	args := []string{"list", "-e", "-find", "-f", "{{.ImportPath}}\t{{with .Module}}{{.Path}}{{end}}", "--"}
	for i := range sources {
		if s := &sources[i]; !s.Local && !slices.Contains(args, s.Package) {
			args = append(args, s.Package)
		}
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = p.Root
	out, _ := cmd.Output() // of a package that it does not know there is no module in the program either
	modules := make(map[string]string)
	for line := range strings.Lines(string(out)) {
		if pkg, module, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t"); ok {
			modules[pkg] = module
		}
	}
	return modules
}

// initOrder returns the packages of a run of a profile directory in the order of their initialisation, nothing for an archive.
func initOrder(dir string) (order []string) {
	runs, err := profile.ReadRuns(dir)
	if err != nil || len(runs) == 0 {
		return nil
	}
	for _, pkg := range runs[len(runs)-1].Packages {
		order = append(order, pkg.Path)
	}
	return order
}
