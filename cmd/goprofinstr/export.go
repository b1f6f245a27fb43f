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
	usage: `usage: goprofinstr export -format pprof|json|coverprofile|folded [-o FILE] DIR

Export writes the profile in DIR in another format, to standard output or to FILE.

	-format pprof     the path profile as a pprof file (as DIR/paths.pb.gz after wrap go test)
	-format json      functions with their graphs and executed paths, schema version 1
	-format coverprofile
	                  the coverage of tests for go tool cover, in mode count, as go test -coverprofile writes it;
	                  needs the sources as they were, and the Go release that built the tests
	-format folded    one line a path, "function;{path} count", for flame graphs
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
	if done, err := parse(fs, exportCommand, args); done || err != nil {
		return 0, err
	}
	return 0, convert(exportCommand, *format, *output, fs.Args(), map[string]writer{
		"pprof":        export.WritePathsPprof,
		"json":         export.WriteJSON,
		"folded":       export.WriteFolded,
		"coverprofile": func(w io.Writer, p *profile.Profile) error { return exportCoverprofile(w, fs.Arg(0), p) },
	})
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
		return usagef("%s: want one profile directory, got %d arguments; see goprofinstr help %s", c.name, len(args), c.name)
	}
	p, err := profile.Load(args[0])
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
	usage: `usage: goprofinstr report [-format text|conditions] [-o FILE] [-top N] DIR
       goprofinstr report -path FUNCTION#NUMBER [-o FILE] DIR
       goprofinstr report -test TEST [-o FILE] DIR

Report prints the hottest paths of the profile in DIR, the coverage of paths, branches and
blocks by package, and the functions that were declined.

	-format text      that (the default)
	-format conditions
	                  one line for each condition, operand of && and ||, and switch case of the functions that
	                  ran: how often it was true, how often false
	-path F#N         the tests that take path N of function F, with how often they do; of the name the end is
	                  enough. For profiles made by wrap -per-test, as is
	-test TEST        the paths that only this test takes, with its subtests: a name such as TestX or TestX/sub,
	                  or example.com/pkg.TestX
	-o FILE           write to FILE instead of standard output
	-top N            how many paths to show (default 20)
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
