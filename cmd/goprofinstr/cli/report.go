package cli

import (
	"flag"
	"io"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/flags"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/glossary"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/usage"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/export/report"
)

var reportCommand = &command{
	name:  "report",
	run:   runReport,
	short: "print what a profile says",
	synopsis: `goprofinstr report [-format text|json|markdown|html|conditions|mcdc|prime|badge] [-o FILE] [-top N] [DIR]
goprofinstr report -path FUNCTION#NUMBER [-o FILE] [DIR]
goprofinstr report -test TEST [-o FILE] [DIR]`,
	about: `Report prints the hottest paths of the profile in DIR (default goprofinstr.out), the coverage of paths, branches,
conditions and statements by package and by function, the functions whose edge profile would tell another path than the
hottest one, and the functions that were declined.`,
	flags: func() flags.Table { return new(reportFlags).table() },
	examples: `goprofinstr report                                      # what the last wrap here has found
goprofinstr report -format conditions | grep never      # outcomes of conditions that no test has
goprofinstr report -format mcdc                         # what MC/DC is missing, as vectors of conditions
goprofinstr report -format prime                        # prime paths, after wrap -iterations 2
goprofinstr report -format markdown >>"$GITHUB_STEP_SUMMARY"
goprofinstr report -format html -o report.html
goprofinstr report -format badge -o coverage.svg        # a picture for a README
goprofinstr report -path 'm.Parse#3'                    # the tests that take a path, after wrap -per-test
goprofinstr report -top 5 other.out`,
}

// reportFlags are the flags of report.
type reportFlags struct {
	src         string
	format, out string
	top         int
	path, test  string
	chosen      chosen
}

func (f *reportFlags) table() flags.Table {
	return flags.Table{Column: 18, Flags: append([]flags.Flag{
		{Name: "format", Var: &f.format, Default: "text", Choices: []flags.Choice{
			{Value: "text", Usage: "the above, in 80 columns (the default)"},
			{Value: "json", Usage: "the same of all packages and functions, for programs"},
			{Value: "markdown", Usage: "short, with the rest folded up: for the summary of a CI job"},
			{Value: "html", Usage: "one file for a browser, with the sources of the hottest functions and their paths"},
			{Value: "conditions",
				Usage: `one line for each condition, operand of && and ||, and switch case of the functions that
				ran: how often it was true, how often false`},
			{Value: "mcdc",
				Usage: `the decisions of functions that ran, which are expressions of && and ||: the values that their
				conditions have had together, and which conditions have been shown to affect the outcome
				independently (MC/DC)`},
			{Value: "prime",
				Usage: `the prime paths of functions that ran, which have each loop skipped, entered, gone round once and
				more often, and left: how often each was executed, and which are missing; after wrap -iterations 2`},
			{Value: "badge", Usage: "the coverage of branches as a badge for a README, in SVG"},
		}},
		{Name: "path", Value: "F#N", Var: &f.path,
			Usage: `the tests that take path N of function F, with how often they do; of the name the end is
			enough. For profiles made by wrap -per-test, as is`},
		{Name: "test", Value: "TEST", Var: &f.test,
			Usage: `the paths that only this test takes, with its subtests: a name such as TestX or TestX/sub,
			or example.com/pkg.TestX`},
		outputFile(&f.out),
		sourceFolder(&f.src),
		{Name: "top", Value: "N", Var: &f.top, Default: 20,
			Usage: `how many paths and functions to show; of prime paths, how many of each state in a
			function (default 20)`,
			Only: &flags.Only{Flag: "format", Values: []string{"text", "json", "markdown", "prime"}}},
	}, chosenFlags(&f.chosen)...)}
}

func runReport(c *command, args []string) (int, error) {
	var f reportFlags
	t := f.table()
	fs, done, err := c.parse(t, args)
	if done || err != nil {
		return 0, err
	}
	c.src = f.src
	if err := f.refuse(t, fs); err != nil {
		return 0, err
	}
	if f.top < 0 {
		return 0, usage.Errorf("-top %d: want a number of paths", f.top)
	}
	formats := f.formats()
	switch {
	case f.path != "":
		formats = map[string]writer{
			"text": plain(func(w io.Writer, p *profile.Profile) error { return report.WritePathTests(w, p, f.path) }),
		}
	case f.test != "":
		formats = map[string]writer{
			"text": plain(func(w io.Writer, p *profile.Profile) error { return report.WriteTestPaths(w, p, f.test) }),
		}
	}
	return 0, c.convert(f.format, f.out, fs, formats)
}

// refuse refuses flags that mean nothing beside the others.
func (f *reportFlags) refuse(t flags.Table, fs *flag.FlagSet) error {
	if f.path != "" && f.test != "" {
		return usage.Errorf("-path and -test are two reports; give one of them")
	}
	if f.formats()[f.format] == nil {
		return nil // which convert says
	}
	for name, is := range map[string]string{"path": f.path, "test": f.test} {
		switch top := fs.Lookup("top"); {
		case is == "":
		case f.format != "text":
			return usage.Errorf("-%s is text only; leave out -format %s", name, f.format)
		case top.Value.String() != top.DefValue:
			return usage.Errorf("-%s lists all that there is; leave out -top", name)
		}
	}
	return refuseFlags(t, fs, "")
}

// formats are what -format can be.
func (f *reportFlags) formats() map[string]writer {
	top := func(write func(io.Writer, *profile.Profile, int) error) func(io.Writer, *profile.Profile) error {
		return func(w io.Writer, p *profile.Profile) error { return write(w, p, f.top) }
	}
	return map[string]writer{
		"text":       explained(glossary.Report, top(report.WriteText)),
		"json":       plain(top(report.WriteJSON)),
		"markdown":   explained(glossary.Markdown, top(report.WriteMarkdown)),
		"html":       writeHTML,
		"conditions": plain(report.WriteConditions),
		"mcdc":       plain(report.WriteMCDC),
		"prime":      plain(top(report.WritePrime)),
		"badge":      plain(report.WriteBadge),
	}
}
