package cli

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/auditwatch"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/flags"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gorun"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/instrument"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/outdir"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/usage"
	"github.com/goprofinstr/goprofinstr/export/audit"
	"github.com/goprofinstr/goprofinstr/rewrite/placement"
	rtaudit "github.com/goprofinstr/goprofinstr/rt/audit"
)

// auditFlags are the flags of audit.
type auditFlags struct {
	functions, pkg, out string
	confidence, effect  string
	maxTime, budget     time.Duration
	copies              int
	format, from        string
	pgo, profile        string
	base, slower        string
	stop, n, x, work    bool
	loops               bool
	sure, margin        float64  // what confidence and effect say
	limit               float64  // what slower says
	given               []string // names of the user's flags
	formats             []string
}

func (f *auditFlags) table() flags.Table {
	return flags.Table{Column: 19, Flags: slices.Concat(f.choiceFlags(), f.trialFlags(), f.resultFlags())}
}

// choiceFlags say what is audited.
func (f *auditFlags) choiceFlags() []flags.Flag {
	return []flags.Flag{
		{Name: "base", Value: "REV", Var: &f.base,
			Usage: `audit the functions that have changed since the merge base of REV and HEAD, committed or not: each against what it was then.
			Changes that do not run (comments, layout, names of what is local) are none; what cannot be compared is listed, with the reason`},
		{Name: "fail-if-slower", Value: "PCT", Var: &f.slower,
			Usage: `with -base, exit with code 1 if a function is certainly slower by more than that; one that is not known to be is no failure, and
			the result says so. Differences are found somewhat smaller than they are, so that one just above PCT may pass`},
		{Name: "pgo", Value: "FILE", Var: &f.pgo,
			Usage: `audit the functions of -func with and without this profile: they are compiled a second time, as F_pgo, and the calls that
			they make in the profile are those of the second; the other functions of the main module, and of packages that they call, are as with
			go build -pgo`},
		{Name: "copies", Value: "N", Var: &f.copies,
			Usage: `how many copies of each version there are, at several places in memory: what copies of one version differ
			by is no difference between versions (default 6; of more than two versions as many as fit; 1 with -pgo); 1 for
			the versions alone, which may differ by a few percent for where they are`},
		{Name: "loops", Value: "=false", Var: &f.loops, Default: true, Usage: "time calls only, and no passes through loops"},
		{Name: "profile", Value: "DIR", Var: &f.profile,
			Usage: "time loops by what this exact profile says of them, in place of estimates"},
		{Name: "func", Value: "LIST", Var: &f.functions,
			Usage: `audit only these functions, separated by commas: F, pkg.F or import/path/pkg.F, (*T).M for
			methods; default all that have variants`},
		{Name: "pkg", Value: "PATTERNS", Var: &f.pkg,
			Usage: "where to look for variants; default the packages of the main module"},
	}
}

// trialFlags say when a function is decided.
func (f *auditFlags) trialFlags() []flags.Flag {
	return []flags.Flag{
		{Name: "confidence", Value: "PCT", Var: &f.confidence, Default: "99",
			Usage: `how sure to be (default 99): an audit whose versions are equally fast says otherwise with a probability of 1% at
			most, however long it runs`},
		{Name: "min-effect", Value: "PCT", Var: &f.effect, Default: "0.5",
			Usage: "the least difference that matters (default 0.5); versions are the same if they certainly differ by less"},
		{Name: "max-time", Value: "D", Var: &f.maxTime, Default: 30 * time.Second,
			Usage: `decide on a function no later than this after its first timing, on the original if there is
			not enough evidence (default 30s); 0 for no limit`},
		{Name: "budget", Value: "D", Var: &f.budget, Default: auditBudget,
			Usage: `how long all of it may take, with what is built. Then undecided functions that have been timed for 5s are open.
			The command ends when there are no others, as with -stop (default 50s with -base and go test, else no limit);
			0 for no limit`},
		{Name: "stop", Var: &f.stop,
			Usage: `end the program and the go command, by an interrupt, when all functions are decided or their time is over; the exit
			code is 0 then, also if a test has failed before`},
	}
}

// auditBudget is what is left of a minute for the go command to end, and for a machine on which other programs run.
const auditBudget = 50 * time.Second

// resultFlags say what is printed and kept.
func (f *auditFlags) resultFlags() []flags.Flag {
	return slices.Concat([]flags.Flag{
		{Name: "o", Value: "DIR", Var: &f.out, Default: outdir.Default,
			Usage: "output directory (default goprofinstr.out); audit.json has all that was found"},
		{Name: "format", Value: "LIST", Var: &f.format,
			Usage: `what else to write there, separated by commas: html (the default), svg, text, markdown, or none; with -from, what to print, once:
			text (the default), json, html, svg or markdown`},
		{Name: "from", Value: "DIR", Var: &f.from,
			Usage: `show an earlier audit, or what a program made by audit go build, go install or go test -c has written to
			the directory $GOPROFINSTR_DIR: its last 65,536 timings of each function`},
	}, printFlags(&f.n, &f.x), []flags.Flag{keepFlag(&f.work)})
}

// prepared returns what the flags say about what is built.
func (f *auditFlags) prepared() instrument.AuditOptions {
	return instrument.AuditOptions{
		Patterns:  fields(f.pkg),
		Functions: fields(f.functions),
		Base:      f.base,
		PGO:       f.pgo,
		Profile:   f.profile,
		CallsOnly: !f.loops,
		Copies:    f.copies,
	}
}

// watching returns what the flags say about when a function is decided.
func (f *auditFlags) watching(target *instrument.AuditTarget) auditwatch.Options {
	o := auditwatch.Options{Confidence: f.sure, Margin: f.margin, MaxTime: f.maxTime, Stop: f.stop}
	for _, fn := range target.Functions {
		o.Functions = append(o.Functions, fn.Name)
	}
	if target.Base != nil {
		o.Base = &target.Base.Base
	}
	return o
}

// until returns when the budget is over of a go command with this verb that began at a time; the zero time if it has none. A
// program that is no test may be in the middle of something at any time, and the default does not end it.
func (f *auditFlags) until(began time.Time, verb string) (until time.Time) {
	if f.budget == 0 || !slices.Contains(f.given, "budget") && (f.base == "" || verb != "test") {
		return until
	}
	return began.Add(f.budget)
}

// decisive are flags that say when a function is decided, also by timings that programs have left.
var decisive = []string{"confidence", "min-effect"}

// ofRuns are flags that mean nothing to a go command that runs nothing: what is built is decided on with -from, if it is.
var ofRuns = []string{"fail-if-slower", "confidence", "min-effect", "max-time", "budget", "stop", "format"}

// checkRuns refuses flags for what a go command runs if it runs nothing.
func (f *auditFlags) checkRuns(r *gorun.Run) error {
	names := f.among(ofRuns)
	if r.Toolchain.Runs(r.Cmd) || len(names) == 0 {
		return nil
	}
	line := "go " + r.Cmd.Verb
	if r.Cmd.Verb == "test" {
		line += " -c"
	}
	return usage.Errorf("%s runs nothing that could be timed; leave out %s", line, strings.Join(names, " and "))
}

// among returns those of some flags that the user has given.
func (f *auditFlags) among(some []string) (names []string) {
	for _, name := range f.given {
		if slices.Contains(some, name) {
			names = append(names, "-"+name)
		}
	}
	return names
}

// checkFrom refuses flags that mean nothing to an audit that is over.
func (f *auditFlags) checkFrom() error {
	if f.from == "" {
		return nil
	}
	var names []string
	for _, name := range f.given {
		if name != "from" && name != "format" && !slices.Contains(decisive, name) {
			names = append(names, "-"+name)
		}
	}
	if len(names) > 0 {
		return usage.Errorf("-from shows an earlier audit; leave out %s", strings.Join(names, " and "))
	}
	return nil
}

// check reads the values of flags.
func (f *auditFlags) check() error {
	if err := f.checkFrom(); err != nil {
		return err
	}
	percent, err := strconv.ParseFloat(strings.TrimSuffix(f.confidence, "%"), 64)
	if err != nil || !(percent >= 50 && percent < 100) {
		return usage.Errorf("-confidence %s: want a percentage from 50 to below 100", f.confidence)
	}
	effect, err := strconv.ParseFloat(strings.TrimSuffix(f.effect, "%"), 64)
	if err != nil || !(effect >= 0 && effect < 100) {
		return usage.Errorf("-min-effect %s: want a percentage from 0 to below 100", f.effect)
	}
	if f.pgo != "" && f.functions == "" {
		return usage.Errorf("-pgo needs -func, the functions to compile with and without the profile")
	}
	if !f.loops && f.profile != "" {
		return usage.Errorf("-loops=false times no loops, and -profile says which to time; leave out one of them")
	}
	f.sure, f.margin = percent/100, effect/100
	if err := f.checkBase(); err != nil {
		return err
	}
	if f.maxTime < 0 {
		return usage.Errorf("-max-time %v: want a time, or 0 for no limit", f.maxTime)
	}
	if f.budget < 0 {
		return usage.Errorf("-budget %v: want a time, or 0 for no limit", f.budget)
	}
	if err := f.checkCopies(); err != nil {
		return err
	}
	if f.out == "" {
		return usage.Errorf("-o needs the name of a directory")
	}
	if err := checkPatterns(fields(f.pkg)); err != nil {
		return err
	}
	return f.checkFormats()
}

// checkCopies finds how many copies of each version there are.
func (f *auditFlags) checkCopies() error {
	most := placement.Fit(rtaudit.MostVersions, 2)
	switch {
	case f.copies == 0 && f.pgo == "":
		f.copies = placement.Copies
	case f.copies == 0:
		f.copies = 1
	case f.copies != 1 && f.pgo != "":
		return usage.Errorf("-copies %d: with -pgo there are none, for the calls in a profile are those of one function", f.copies)
	case f.copies != 1 && placement.Fit(f.copies, 2) != f.copies:
		return usage.Errorf("-copies %d: want 1, or a number from 3 to %d; two do not tell what placement makes", f.copies, most)
	}
	return nil
}

// checkBase reads the flags of audits against a base.
func (f *auditFlags) checkBase() error {
	switch {
	case f.base != "" && f.pgo != "":
		return usage.Errorf("-base and -pgo are two audits; give one of them")
	case f.slower == "":
		return nil
	case f.base == "":
		return usage.Errorf("-fail-if-slower needs -base, the revision to compare with")
	}
	limit, err := strconv.ParseFloat(strings.TrimSuffix(f.slower, "%"), 64)
	if err != nil || !(limit >= 100*f.margin && limit > 0 && limit < 10_000) {
		return usage.Errorf("-fail-if-slower %s: want a percentage, and no less than -min-effect, which is %s", f.slower, f.effect)
	}
	f.limit = limit / 100
	return nil
}

func (f *auditFlags) checkFormats() error {
	f.formats = fields(f.format)
	switch {
	case f.from != "" && len(f.formats) == 0:
		f.formats = []string{"text"}
	case len(f.formats) == 0:
		f.formats = []string{"html"}
	case f.from != "" && len(f.formats) > 1:
		return usage.Errorf("-from prints one -format, not %d", len(f.formats))
	case f.from == "" && f.format == "none":
		f.formats = nil
	}
	for _, name := range f.formats {
		if audit.Formats[name] == nil {
			return usage.Errorf("unknown -format %q; use text, json, html, svg or markdown", name)
		}
	}
	return nil
}
