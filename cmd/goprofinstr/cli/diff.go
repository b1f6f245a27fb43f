package cli

import (
	"fmt"
	"io"
	"os"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/flags"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/glossary"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/outdir"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/usage"
	"github.com/goprofinstr/goprofinstr/export/compare"
	"github.com/goprofinstr/goprofinstr/export/fleet/archive"
	"github.com/goprofinstr/goprofinstr/export/page"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

var diffCommand = &command{
	name:     "diff",
	run:      runDiff,
	short:    "say which conditions and paths two profiles do not have in common",
	synopsis: `goprofinstr diff [-format text|json|html] [-top N] OLD [NEW]`,
	about: `Diff compares two profile directories, OLD and NEW (default goprofinstr.out): of two runs of one program, or of
two versions of it. It tells

	- how many of the paths of NEW, and of its flow, OLD had
	- the outcomes of conditions that only one of them has seen, and those never seen of conditions that are new
	- the paths that only one of them has
	- the paths whose share of their function's executions is another by a point or more

those that matter most first. Functions are matched by name, and renamed ones by their graph, so edits elsewhere in
a file change nothing. Of functions whose graph has changed, the paths that keep to the parts that are as they were
are still compared. Differences between samples that may be chance are counted only: in the others the
shares, of as many observations as there were bursts, are 3.29 standard deviations apart or more.`,
	flags: func() flags.Table { return new(diffFlags).table() },
	examples: `goprofinstr wrap -o old go test ./...                   # of the old version
goprofinstr wrap go test ./...                          # of the new one
goprofinstr diff old`,
}

// diffFlags are the flags of diff.
type diffFlags struct {
	format string
	top    int
	chosen chosen
}

func (f *diffFlags) table() flags.Table {
	return flags.Table{Column: 16, Flags: append([]flags.Flag{
		{Name: "format", Var: &f.format, Default: "text", Choices: []flags.Choice{
			{Value: "text", Usage: "that (the default)"},
			{Value: "json", Usage: "all of it, schema version 1"},
			{Value: "html", Usage: "that, as a page in one file"},
		}},
		{Name: "top", Value: "N", Var: &f.top, Default: 20, Usage: "how many paths of each kind to show (default 20)",
			Only: &flags.Only{Flag: "format", Values: []string{"text", "html"},
				Why: map[string]string{"json": "-format json has all of them"}}},
		serviceFlag(&f.chosen),
	}, spanFlags(&f.chosen)...)}
}

func runDiff(c *command, args []string) (int, error) {
	var f diffFlags
	t := f.table()
	fs, done, err := c.parse(t, args)
	if done || err != nil {
		return 0, err
	}
	older, newer := fs.Arg(0), outdir.Default
	if fs.NArg() == 2 {
		newer = fs.Arg(1)
	}
	writers := map[string]func(io.Writer, *compare.Comparison) error{
		"text": func(w io.Writer, c *compare.Comparison) error {
			return glossary.Explain(w, glossary.Report, func(w io.Writer) error { return compare.WriteText(w, c, f.top) })
		},
		"json": compare.WriteJSON,
		"html": func(w io.Writer, c *compare.Comparison) error {
			return page.WriteDiff(w, c, older, newer, f.top)
		},
	}
	write, err := choose(f.format, writers)
	switch {
	case err != nil:
		return 0, err
	case f.top < 0:
		return 0, usage.Errorf("-top %d: want a number of paths", f.top)
	case fs.NArg() == 0 || fs.NArg() > 2:
		return 0, usage.Errorf("want two profile directories, or the older one only, got %s; see goprofinstr help diff",
			show.Plural(fs.NArg(), "argument"))
	}
	if err := refuseFlags(t, fs, ""); err != nil {
		return 0, err
	}
	if !archive.Is(older) && !archive.Is(newer) {
		if err := f.chosen.refuse(older); err != nil {
			return 0, err
		}
	}
	before, err := load(older, f.chosen.of(older))
	if err != nil {
		return 0, err
	}
	after, err := load(newer, f.chosen.of(newer))
	if err != nil {
		return 0, err
	}
	compared, err := compare.New(before, after)
	if err != nil {
		return 0, fmt.Errorf("%s and %s: %w", older, newer, err)
	}
	return 0, write(os.Stdout, compared)
}
