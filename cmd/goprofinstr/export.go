package main

import (
	"bufio"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/export"
	"github.com/goprofinstr/goprofinstr/export/profile"
)

var exportCommand = &command{
	name:  "export",
	short: "convert a profile for other programs",
	usage: `usage: goprofinstr export -format pprof|json|coverprofile|folded|pgo|markers|markers-text [-o FILE] DIR

Export writes the profile in DIR in another format, to standard output or to FILE.

	-format pprof     the path profile as a pprof file (as DIR/paths.pb.gz after wrap go test)
	-kind KIND        with -format pprof: edges, or what wrap -kinds has counted besides: calls, the targets of calls; trips, rounds of loops; values
	-format json      functions with their graphs and executed paths, schema version 1
	-format coverprofile
	                  the coverage of tests for go tool cover, in mode count, as go test -coverprofile writes it;
	                  needs the sources as they were, and the Go release that built the tests
	-format folded    one line a path, "function;{path} count", for flame graphs
	-format pgo       a profile for go build -pgo: the calls in instrumented functions with how often they were executed, the most frequent ones,
	                  which make up 99.99% of all, with the targets that wrap -kinds calls has found; as default.pgo in the folder of a main package go build finds it by itself
	-format markers   where the loops of each function are in the programs, whose compiler has inlined, copied and turned
	                  them around: for each copy of a loop the function that it is in, the calls by which it was inlined there, the
	                  addresses of its markers, and how often it went round; JSON. Needs programs with native probes
	-format markers-text
	                  the same as text, without loops that no program has
	-o FILE           write to FILE instead of standard output
`,
}

func init() { exportCommand.run = runExport }

// A writer writes a profile in one format.
type writer func(io.Writer, *profile.Profile) error

func runExport(args []string) (int, error) {
	fs := newFlags(exportCommand)
	format := fs.String("format", "", "")
	output := fs.String("o", "", "")
	kind := fs.String("kind", "", "")
	if done, err := parse(fs, exportCommand, args); done || err != nil {
		return 0, err
	}
	pprof, err := pprofWriter(*kind, *format)
	if err != nil {
		return 0, err
	}
	return 0, convert(exportCommand, *format, *output, fs.Args(), map[string]writer{
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
func pprofWriter(kind, format string) (writer, error) {
	if kind != "" && format != "pprof" {
		return nil, usagef("export: -kind is for -format pprof; the other formats have all kinds that they can")
	}
	switch kind {
	case "", "paths":
		return export.WritePathsPprof, nil
	case "edges":
		return export.WriteEdgesPprof, nil
	case "calls", "trips", "values":
		return func(w io.Writer, p *profile.Profile) error { return export.WriteEventsPprof(w, p, kind) }, nil
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
		return usagef("%s: want one profile directory, got %s; see goprofinstr help %s", c.name, export.Plural(len(args), "argument"), c.name)
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
	usage: `usage: goprofinstr report [-format text|json|markdown|html|conditions] [-o FILE] [-top N] DIR
       goprofinstr report -path FUNCTION#NUMBER [-o FILE] DIR
       goprofinstr report -test TEST [-o FILE] DIR

Report prints the hottest paths of the profile in DIR, the coverage of paths, branches, conditions and statements by package and by function, the
functions whose edge profile would tell another path than the hottest one, and the functions that were declined.

	-format text      that, in 80 columns (the default)
	-format json      that of all packages and functions, for programs
	-format markdown  short, with the rest folded up: for the summary of a CI job
	-format html      one file for a browser, with the sources of the hottest functions and their paths
	-format conditions
	                  one line for each condition, operand of && and ||, and switch case of the functions that
	                  ran: how often it was true, how often false
	-path F#N         the tests that take path N of function F, with how often they do; of the name the end is
	                  enough. For profiles made by wrap -per-test, as is
	-test TEST        the paths that only this test takes, with its subtests: a name such as TestX or TestX/sub,
	                  or example.com/pkg.TestX
	-o FILE           write to FILE instead of standard output
	-top N            how many paths and functions to show (default 20)
`,
}

func init() { reportCommand.run = runReport }

func runReport(args []string) (int, error) {
	fs := newFlags(reportCommand)
	format := fs.String("format", "text", "")
	output := fs.String("o", "", "")
	top := fs.Int("top", 20, "")
	path, test := fs.String("path", "", ""), fs.String("test", "", "")
	if done, err := parse(fs, reportCommand, args); done || err != nil {
		return 0, err
	}
	if *top < 0 {
		return 0, usagef("report: -top %d: want a number of paths", *top)
	}
	formats := map[string]writer{
		"text":       func(w io.Writer, p *profile.Profile) error { return export.WriteReport(w, p, *top) },
		"json":       func(w io.Writer, p *profile.Profile) error { return export.WriteReportJSON(w, p, *top) },
		"markdown":   func(w io.Writer, p *profile.Profile) error { return export.WriteMarkdown(w, p, *top) },
		"html":       func(w io.Writer, p *profile.Profile) error { return writeHTML(w, fs.Arg(0), p) },
		"conditions": export.WriteConditions,
	}
	switch {
	case *path != "" && *test != "":
		return 0, usagef("report: -path and -test are two reports; give one of them")
	case *path != "":
		formats = map[string]writer{"text": func(w io.Writer, p *profile.Profile) error { return export.WritePathTests(w, p, *path) }}
	case *test != "":
		formats = map[string]writer{"text": func(w io.Writer, p *profile.Profile) error { return export.WriteTestPaths(w, p, *test) }}
	}
	return 0, convert(reportCommand, *format, *output, fs.Args(), formats)
}
