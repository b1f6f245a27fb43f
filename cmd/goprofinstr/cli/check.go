package cli

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/flags"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gitdiff"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/glossary"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/mergebase"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/usage"
	"github.com/goprofinstr/goprofinstr/export"
	"github.com/goprofinstr/goprofinstr/export/gate"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

var checkCommand = &command{
	name:     "check",
	run:      runCheck,
	short:    "fail if coverage is less than it should be, and say what is missing",
	synopsis: `goprofinstr check [flags] [DIR]`,
	about: `Check holds the coverage of the profile in DIR (default goprofinstr.out) against demands. If one is not met
it exits with 1 and lists what is missing, the most useful first, as the conditions that would have to hold:

	m.go:12: example.com/m.Parse  path 3
	    n > 90 true → n <= 90 false → return

"true" is said of each operand of a condition, without a ! before it. A path that begins "in the loop on line 9" does so when that loop goes round.

Of a profile that was sampled, what is known counts: what was not seen, and may have been executed all the same, is not
covered, and the result says how much that is.`,
	flags: func() flags.Table { return new(checkFlags).table() },
	examples: `goprofinstr check -min-condition 100 -diff origin/main  # of what a pull request changes
goprofinstr check -min-condition 100 -base origin/main  # and what that does to coverage
goprofinstr check -min-path 100 -func json.Parse        # all paths of one function
goprofinstr check -baseline main.out                    # nothing is covered less than it was`,
	notes: `Paths that are infeasible by simple reasoning are not demanded: those on which a condition on local variables
that nothing has changed is once true and once false, or contradicts a constant that a variable was set to.

Code that no test needs to reach is marked in its source, with a reason; how much that is the result says:

	os.Exit(2) //goprofinstr:ignore ends the test       a line, or alone on the line before it
	if err != nil { //goprofinstr:ignore never fails    a block, behind its brace or the colon of a case
	//goprofinstr:ignore by hand only                   a function, in the comment before it
	//goprofinstr:ignore an example                     a file, before its package clause

Out are then the statements there, the conditions on a marked line, the branches and outcomes that lead to what is marked
only, and the paths through it. A comment without a reason is not honoured, and neither are those in functions that
have changed since the run; both are said. Generated files, by their "// Code generated … DO NOT EDIT.", are out, too.

What cannot be read of DIR is left out, with a warning, and taken to be not covered: the functions whose counts make
no sense, with all of their paths, and what damaged run files have executed. If it is not even known what there was to
cover, or something of the baseline cannot be read, the check fails and says so.`,
}

// checkFlags are the flags of check.
type checkFlags struct {
	src                  string
	min                  map[gate.Measure]*string
	diff, base, baseline string
	format, out          string
	functions            string
	top                  int
	generated            bool
	chosen               chosen
}

func (f *checkFlags) table() flags.Table {
	return flags.Table{Column: 22, Flags: slices.Concat(f.demand(), []flags.Flag{
		{Name: "diff", Value: "REV", Var: &f.diff,
			Usage: `these are about lines that have changed since REV only, a revision of git: of paths, those that
			pass such a line. Lines that were only deleted do not count`},
		{Name: "func", Value: "LIST", Var: &f.functions,
			Usage: `and these are about some functions only, separated by commas, with the literals in them: Parse, json.Parse,
			(*Decoder).Decode; -min-path is for functions that have been chosen`},
		{Name: "base", Value: "REV", Var: &f.base,
			Usage: `as -diff with the merge base of REV and HEAD, and the result says what the change does to coverage, of which
			nothing is demanded. The tests run at that commit, too, in a git worktree of their own, once for each commit`},
		{Name: "baseline", Value: "DIR", Var: &f.baseline,
			Usage: "coverage of none of these but -min-mcdc and -min-prime may be less than that of another profile, on all lines"},
		{Name: "generated", Var: &f.generated,
			Usage: "demand generated files, too"},
		{Name: "format", Var: &f.format, Default: "text", Choices: []flags.Choice{
			{Value: "text", Usage: "print gates and what is missing (the default)"},
			{Value: "markdown", Usage: "short, for a comment on a pull request, or the summary of a CI job"},
			{Value: "github", Usage: "as commands to GitHub, which shows an error on each line"},
			{Value: "sarif", Usage: "SARIF 2.1.0, for other code hosts"},
			{Value: "json", Usage: "schema version 2"},
		}},
		outputFile(&f.out),
		sourceFolder(&f.src),
		{Name: "top", Value: "N", Var: &f.top, Default: 20,
			Usage: "how many missing things to list of each kind (default 20)"},
	}, chosenFlags(&f.chosen))}
}

// demand returns the flags that demand coverage, one for each measure.
func (f *checkFlags) demand() (list []flags.Flag) {
	usage := map[gate.Measure]string{
		gate.Path:      "the least coverage of paths, in percent,",
		gate.Branch:    "of branches,",
		gate.Condition: "of the outcomes of conditions, true and false of each,",
		gate.Statement: "of statements, in runs that are executed together,",
		gate.MCDC: `of the conditions of decisions, of those that have been shown to affect the outcome independently
			(MC/DC by masking, as CAST-6 has it; needs the sources),`,
		gate.Prime: "and of prime paths, which have loops skipped, gone round once and more often; after wrap -iterations 2",
	}
	f.min = make(map[gate.Measure]*string)
	for _, m := range gate.Measures {
		f.min[m] = new(string)
		list = append(list, flags.Flag{Name: "min-" + string(m), Value: "PCT", Var: f.min[m], Usage: usage[m]})
	}
	return list
}

func runCheck(c *command, args []string) (int, error) {
	var f checkFlags
	fs, done, err := c.parse(f.table(), args)
	if done || err != nil {
		return 0, err
	}
	c.src = f.src
	prefix := ""
	write, err := choose(f.format, map[string]func(io.Writer, *gate.Result) error{
		"text": func(w io.Writer, r *gate.Result) error {
			return glossary.Explain(w, glossary.Report, func(w io.Writer) error { return gate.WriteText(w, r) })
		},
		"markdown": func(w io.Writer, r *gate.Result) error {
			return glossary.Explain(w, glossary.Markdown, func(w io.Writer) error { return gate.WriteMarkdown(w, r, prefix) })
		},
		"github": func(w io.Writer, r *gate.Result) error { return gate.WriteGithub(w, r, prefix) },
		"sarif":  func(w io.Writer, r *gate.Result) error { return gate.WriteSARIF(w, r, prefix) },
		"json":   gate.WriteJSON,
	})
	if err != nil {
		return 0, err
	}
	least, err := f.demands()
	if err != nil {
		return 0, err
	}
	dir, p, err := c.loadOne(fs)
	if err != nil {
		return 0, err
	}
	prefix = gitdiff.Prefix(p.Root)
	r, err := f.check(dir, p, least)
	var interrupted *mergebase.Interrupted
	if errors.As(err, &interrupted) {
		return interrupted.Exit(), err
	}
	if err != nil {
		return 0, err
	}
	if err := writeResult(f.out, r, write); err != nil {
		return 0, err
	}
	if !r.Passed() {
		return 1, nil
	}
	return 0, nil
}

// demands returns the least coverage that is wanted, in percent.
func (f *checkFlags) demands() (map[gate.Measure]float64, error) {
	least := make(map[gate.Measure]float64)
	for m, text := range f.min {
		if *text == "" {
			continue
		}
		percent, err := parseDemand(*text)
		if err != nil {
			return nil, usage.Errorf("-min-%s %s: %w", m, *text, err)
		}
		least[m] = percent
	}
	switch {
	case f.base != "" && f.diff != "":
		return nil, usage.Errorf("-base is -diff with the merge base; give one of them")
	case f.base != "" && f.baseline != "":
		return nil, usage.Errorf("-base and -baseline compare with two profiles; give one of them")
	case len(least) == 0 && f.baseline == "" && f.base == "":
		return nil, usage.Errorf("nothing is demanded; want -min-path, -min-branch, -min-condition, " +
			"-min-statement, -min-mcdc, -min-prime, -baseline or -base")
	case len(least) == 0 && f.functions != "":
		return nil, usage.Errorf("-func needs one of -min-path, -min-branch, -min-condition, -min-statement, -min-mcdc " +
			"and -min-prime; -baseline is about all functions")
	case len(least) == 0 && f.diff != "":
		return nil, usage.Errorf("-diff needs one of -min-path, -min-branch, -min-condition, -min-statement, -min-mcdc " +
			"and -min-prime; -baseline is about all lines")
	case f.top < 0:
		return nil, usage.Errorf("-top %d: want a number of missing things", f.top)
	}
	return least, nil
}

// parseDemand returns a percentage. A fraction such as 0.8 would be a gate that passes all but untested code; it is an error.
func parseDemand(text string) (float64, error) {
	number, sign := strings.CutSuffix(text, "%")
	percent, err := strconv.ParseFloat(number, 64)
	switch {
	case err != nil || math.IsNaN(percent) || percent < 0 || percent > 100:
		return 0, errors.New("want a percentage from 0 to 100")
	case 0 < percent && percent < 1 && !sign:
		whole := strconv.FormatFloat(100*percent, 'g', 6, 64)
		return 0, fmt.Errorf("want a percentage: %s%% is written %s; less than one percent is written %s%%", whole, whole, text)
	}
	return percent, nil
}

func (f *checkFlags) check(dir string, p *profile.Profile, least map[gate.Measure]float64) (*gate.Result, error) {
	o := gate.Options{Min: least, Most: f.top, Generated: f.generated}
	if f.functions != "" {
		o.Functions = strings.Split(f.functions, ",")
		if err := gate.CheckNames(p, o.Functions); err != nil {
			return nil, fmt.Errorf("check: -func: %w", err)
		}
	}
	var err error
	if f.diff != "" {
		if o.Lines, err = gitdiff.SinceProfile(dir, p, f.diff); err != nil {
			return nil, fmt.Errorf("check: -diff: %w", err)
		}
	}
	if f.base != "" {
		kept, err := f.measureChange(dir, p, &o)
		if err != nil {
			return nil, fmt.Errorf("check: -base: %w", err)
		}
		defer kept.Done()
	}
	if f.baseline != "" {
		if o.Baseline, err = load(f.baseline, chosen{}); err != nil {
			return nil, err
		}
	}
	r, err := gate.Check(p, o)
	if errors.Is(err, gate.ErrSampled) {
		if p.Unsettled() == "" {
			dir = f.baseline
		}
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	if errors.Is(err, gate.ErrNoPairs) {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return r, err
}

// measureChange has o be about what has changed since the merge base, and compare with its profile.
func (f *checkFlags) measureChange(dir string, p *profile.Profile, o *gate.Options) (*mergebase.Kept, error) {
	if p.Root == "" { // nobody knows what repository it is of
		_, err := gitdiff.SinceProfile(dir, p, f.base)
		return nil, err
	}
	b, err := mergebase.Find(p.Root, f.base)
	if err != nil {
		return nil, err
	}
	if o.Lines, err = gitdiff.SinceProfile(dir, p, b.Commit); err != nil {
		return nil, err
	}
	kept, err := b.Profile(dir)
	if err != nil {
		return nil, err
	}
	if kept.Warning != "" {
		fmt.Fprintf(os.Stderr, "goprofinstr: warning: %s\n", show.Printable(kept.Warning))
	}
	before, err := load(kept.Dir, chosen{})
	if err != nil {
		kept.Done()
		return nil, err
	}
	o.Base = &gate.Base{Profile: before, Revision: b.Revision, Commit: b.Commit}
	return kept, nil
}

// writeResult writes r to a file or, if that has no name, to standard output.
func writeResult(name string, r *gate.Result, write func(io.Writer, *gate.Result) error) error {
	if name == "" {
		return write(os.Stdout, r)
	}
	return export.Replace(name, func(w io.Writer) error { return write(w, r) })
}
