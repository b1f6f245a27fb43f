package main

import (
	"bufio"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/flags"
	"github.com/goprofinstr/goprofinstr/export"
	"github.com/goprofinstr/goprofinstr/export/pprof"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/export/report"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

var exportCommand = &command{
	name:     "export",
	short:    "convert a profile for other programs",
	synopsis: `goprofinstr export -format pprof|json|coverprofile|folded|pgo|markers|markers-text [-o FILE] DIR`,
	about:    `Export writes the profile in DIR in another format, to standard output or to FILE.`,
	flags:    func() flags.Table { return new(exportFlags).table() },
}

func init() { exportCommand.run = runExport }

// exportFlags are the flags of export.
type exportFlags struct{ format, out, kind string }

func (f *exportFlags) table() flags.Table {
	return flags.Table{Column: 18, Flags: []flags.Flag{
		{Name: "format", Var: &f.format, Choices: []flags.Choice{
			{Value: "pprof", Usage: "the path profile as a pprof file (as DIR/paths.pb.gz after wrap go test)"},
			{Value: "json", Usage: "functions with their graphs and executed paths, schema version 1"},
			{Value: "coverprofile", Usage: `the coverage of tests for go tool cover, in mode count, as go test -coverprofile writes it;
				needs the sources as they were, and the Go release that built the tests`},
			{Value: "folded", Usage: `one line a path, "function;{path} count", for flame graphs`},
			{Value: "pgo", Usage: `a profile for go build -pgo: the calls in instrumented functions with how often they were executed, the most frequent ones,
				which make up 99.99% of all, with the targets that wrap -kinds calls has found; as default.pgo in the folder of a main package go build finds it by itself`},
			{Value: "markers", Usage: `where the loops of each function are in the programs, whose compiler has inlined, copied and turned
				them around: for each copy of a loop the function that it is in, the calls by which it was inlined there, the
				addresses of its markers, and how often it went round; JSON. Needs programs with native probes`},
			{Value: "markers-text", Usage: "the same as text, without loops that no program has"},
		}},
		{Name: "kind", Value: "KIND", Var: &f.kind,
			Usage: "with -format pprof: edges, or what wrap -kinds has counted besides: calls, the targets of calls; trips, rounds of loops; values",
			Only: &flags.Only{Flag: "format", Values: []string{"pprof"},
				Why: map[string]string{"": "the other formats have all kinds that they can"}}},
		outputFile(&f.out),
	}}
}

// outputFile is the flag -o of commands that print something.
func outputFile(name *string) flags.Flag {
	return flags.Flag{Name: "o", Value: "FILE", Var: name, Usage: "write to FILE instead of standard output"}
}

// A writer writes a profile in one format.
type writer func(io.Writer, *profile.Profile) error

func runExport(args []string) (int, error) {
	var f exportFlags
	t := f.table()
	fs, done, err := exportCommand.parse(t, args)
	if done || err != nil {
		return 0, err
	}
	if err := exportCommand.refuseFlags(t, fs, ""); err != nil {
		return 0, err
	}
	pprof, err := pprofWriter(f.kind)
	if err != nil {
		return 0, err
	}
	return 0, convert(exportCommand, f.format, f.out, fs.Args(), map[string]writer{
		"pprof":        pprof,
		"json":         export.WriteJSON,
		"folded":       export.WriteFolded,
		"markers":      export.WriteMarkers,
		"pgo":          export.WritePGO,
		"markers-text": export.WriteMarkersText,
		"coverprofile": func(w io.Writer, p *profile.Profile) error { return exportCoverprofile(w, fs.Arg(0), p) },
	})
}

// pprofWriter returns what writes a profile of some kind for pprof.
func pprofWriter(kind string) (writer, error) {
	switch kind {
	case "", "paths":
		return pprof.WritePaths, nil
	case "edges":
		return pprof.WriteEdges, nil
	case "calls", "trips", "values":
		return func(w io.Writer, p *profile.Profile) error { return pprof.WriteEvents(w, p, kind) }, nil
	}
	return nil, usagef("export: unknown -kind %q; want one of paths, edges, calls, trips, values", kind)
}

// choose returns what a command does for its -format.
func choose[W any](c *command, format string, formats map[string]W) (W, error) {
	write, ok := formats[format]
	if ok {
		return write, nil
	}
	known := strings.Join(slices.Sorted(maps.Keys(formats)), ", ")
	if format == "" {
		return write, usagef("%s: no -format given; want one of %s", c.name, known)
	}
	return write, usagef("%s: unknown format %q; want one of %s", c.name, format, known)
}

// convert writes the profile in the one directory of args to output in the given format.
func convert(c *command, format, output string, args []string, formats map[string]writer) error {
	write, err := choose(c, format, formats)
	if err != nil {
		return err
	}
	if len(args) != 1 {
		return usagef("%s: want one profile directory, got %s; see goprofinstr help %s", c.name, show.Plural(len(args), "argument"), c.name)
	}
	p, err := load(args[0])
	if err != nil {
		return err
	}
	if output == "" {
		w := bufio.NewWriter(os.Stdout)
		if err := write(w, p); err != nil {
			return err
		}
		return w.Flush()
	}
	return export.WriteFile(output, p, write)
}

var reportCommand = &command{
	name:  "report",
	short: "print what a profile says",
	synopsis: `goprofinstr report [-format text|json|markdown|html|conditions] [-o FILE] [-top N] DIR
goprofinstr report -path FUNCTION#NUMBER [-o FILE] DIR
goprofinstr report -test TEST [-o FILE] DIR`,
	about: `Report prints the hottest paths of the profile in DIR, the coverage of paths, branches, conditions and statements by package and by function, the
functions whose edge profile would tell another path than the hottest one, and the functions that were declined.`,
	flags: func() flags.Table { return new(reportFlags).table() },
}

func init() { reportCommand.run = runReport }

// reportFlags are the flags of report.
type reportFlags struct {
	format, out string
	top         int
	path, test  string
}

func (f *reportFlags) table() flags.Table {
	return flags.Table{Column: 18, Flags: []flags.Flag{
		{Name: "format", Var: &f.format, Default: "text", Choices: []flags.Choice{
			{Value: "text", Usage: "that, in 80 columns (the default)"},
			{Value: "json", Usage: "that of all packages and functions, for programs"},
			{Value: "markdown", Usage: "short, with the rest folded up: for the summary of a CI job"},
			{Value: "html", Usage: "one file for a browser, with the sources of the hottest functions and their paths"},
			{Value: "conditions", Usage: `one line for each condition, operand of && and ||, and switch case of the functions that
				ran: how often it was true, how often false`},
		}},
		{Name: "path", Value: "F#N", Var: &f.path, Usage: `the tests that take path N of function F, with how often they do; of the name the end is
			enough. For profiles made by wrap -per-test, as is`},
		{Name: "test", Value: "TEST", Var: &f.test, Usage: `the paths that only this test takes, with its subtests: a name such as TestX or TestX/sub,
			or example.com/pkg.TestX`},
		outputFile(&f.out),
		{Name: "top", Value: "N", Var: &f.top, Default: 20, Usage: "how many paths and functions to show (default 20)"},
	}}
}

func runReport(args []string) (int, error) {
	var f reportFlags
	fs, done, err := reportCommand.parse(f.table(), args)
	if done || err != nil {
		return 0, err
	}
	if f.top < 0 {
		return 0, usagef("report: -top %d: want a number of paths", f.top)
	}
	formats := map[string]writer{
		"text":       func(w io.Writer, p *profile.Profile) error { return report.WriteText(w, p, f.top) },
		"json":       func(w io.Writer, p *profile.Profile) error { return report.WriteJSON(w, p, f.top) },
		"markdown":   func(w io.Writer, p *profile.Profile) error { return report.WriteMarkdown(w, p, f.top) },
		"html":       func(w io.Writer, p *profile.Profile) error { return writeHTML(w, fs.Arg(0), p) },
		"conditions": report.WriteConditions,
	}
	switch {
	case f.path != "" && f.test != "":
		return 0, usagef("report: -path and -test are two reports; give one of them")
	case f.path != "":
		formats = map[string]writer{"text": func(w io.Writer, p *profile.Profile) error { return report.WritePathTests(w, p, f.path) }}
	case f.test != "":
		formats = map[string]writer{"text": func(w io.Writer, p *profile.Profile) error { return report.WriteTestPaths(w, p, f.test) }}
	}
	return 0, convert(reportCommand, f.format, f.out, fs.Args(), formats)
}
