package cli

import (
	"fmt"
	"io"
	"os"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/flags"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/selection"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/usage"
	"github.com/goprofinstr/goprofinstr/export"
)

var selectCommand = &command{
	name:     "select",
	run:      runSelect,
	short:    "say which tests a change may give another result",
	synopsis: `goprofinstr select -diff REV [flags] [DIR]`,
	about: `Select prints go test commands for the tests that may have another result than at a revision of git, by the profile in DIR (default
goprofinstr.out), which goprofinstr wrap -per-test -alone go test has made, of that revision or of another commit. It runs
in the checkout, as go test does.

A test is selected if its process has entered a function whose body has changed, or one that mentions a declaration which has,
or what mentions that; if it has opened another file that has changed; if it is new or has itself changed; and whenever it is not
known what it executes. A change of go.mod, of what packages do when they are initialised, or of the release of Go selects all that
depend on it. Of packages with changed code and no selected test, the last command only compiles the tests.`,
	flags: func() flags.Table { return new(selectFlags).table() },
	notes: `What has changed since the commit of the profile counts as well: the profile is of another program there. The older the profile, the more
tests are selected.

Not seen are changes of line numbers that tests print; files that a package reads before its tests begin, unless they are in a
folder testdata; files that git ignores or that are outside of the module, unless they are compiled or embedded; and what a test
would execute on another machine or in another environment.`,
	examples: `goprofinstr wrap -per-test -alone go test ./...   # on the main branch, now and then
goprofinstr select -diff origin/main -v           # which tests does this change need, and why
goprofinstr select -diff origin/main | sh -e      # run them`,
}

// selectFlags are the flags of select.
type selectFlags struct {
	diff, format, out string
	v                 bool
}

func (f *selectFlags) table() flags.Table {
	return flags.Table{Column: 18, Flags: []flags.Flag{
		{Name: "diff", Value: "REV", Var: &f.diff, Usage: "the revision that the files are compared with, committed or not"},
		{Name: "format", Var: &f.format, Default: "text", Choices: []flags.Choice{
			{Value: "text", Usage: "commands for a shell (the default)"},
			{Value: "list", Usage: "a line for each test: package, test and reason; * for all tests, - for none"},
			{Value: "json", Usage: "schema version 1"},
		}},
		{Name: "v", Var: &f.v, Usage: "text: say why, in comments",
			Only: &flags.Only{Flag: "format", Values: []string{"text"}, Why: map[string]string{"": "the others say why anyway"}}},
		outputFile(&f.out),
	}}
}

func runSelect(c *command, args []string) (int, error) {
	var f selectFlags
	t := f.table()
	fs, done, err := c.parse(t, args)
	if done || err != nil {
		return 0, err
	}
	write, err := choose(f.format, map[string]func(io.Writer, *selection.Selection) error{
		"text": func(w io.Writer, s *selection.Selection) error { return s.WriteText(w, f.v) },
		"list": func(w io.Writer, s *selection.Selection) error { return s.WriteList(w) },
		"json": func(w io.Writer, s *selection.Selection) error { return s.WriteJSON(w) },
	})
	if err != nil {
		return 0, err
	}
	if err := refuseFlags(t, fs, ""); err != nil {
		return 0, err
	}
	if f.diff == "" {
		return 0, usage.Errorf("which revision? -diff origin/main takes what has changed since the main branch")
	}
	dir, err := c.dir(fs)
	if err != nil {
		return 0, err
	}
	data, err := selection.ReadData(dir)
	if err != nil {
		return 0, err
	}
	s, err := selection.Select(data, f.diff)
	if err != nil {
		return 0, err
	}
	fmt.Fprintf(os.Stderr, "goprofinstr: %s\n", s.Summary())
	if f.out == "" {
		return 0, write(os.Stdout, s)
	}
	return 0, export.Replace(f.out, func(w io.Writer) error { return write(w, s) })
}
