package main

import (
	"fmt"
	"io"
	"os"

	"github.com/goprofinstr/goprofinstr/export"
	"github.com/goprofinstr/goprofinstr/export/compare"
)

var diffCommand = &command{
	name:  "diff",
	short: "say which paths two profiles do not have in common",
	usage: `usage: goprofinstr diff [-format text|json] [-top N] OLD NEW

Diff compares two profile directories: of two runs of one program, or of two versions of it. It tells

	- how many of the paths of NEW, and of its flow, OLD had
	- the paths that only one of them has
	- the paths whose share of their function's executions is another by a point or more

those that matter most first. Functions are matched by name, and renamed ones by their graph, so edits elsewhere in
a file change nothing. Of functions whose graph has changed, the paths that keep to the parts that are as they were
are still compared. Differences between samples that may be chance are counted only: in the others the
shares, of as many observations as there were bursts, are 3.29 standard deviations apart or more.

	-format text    that (the default)
	-format json    all of it, schema version 1
	-top N          how many paths of each kind to show (default 20)
`,
}

func init() { diffCommand.run = runDiff }

func runDiff(args []string) (int, error) {
	fs := newFlags(diffCommand)
	format := fs.String("format", "text", "")
	top := fs.Int("top", 20, "")
	if done, err := parse(fs, diffCommand, args); done || err != nil {
		return 0, err
	}
	writers := map[string]func(io.Writer, *compare.Comparison) error{
		"text": func(w io.Writer, c *compare.Comparison) error { return export.WriteDiff(w, c, *top) },
		"json": export.WriteDiffJSON,
	}
	write, err := choose(diffCommand, *format, writers)
	switch {
	case err != nil:
		return 0, err
	case *top < 0:
		return 0, usagef("diff: -top %d: want a number of paths", *top)
	case fs.NArg() != 2:
		return 0, usagef("diff: want two profile directories, got %s; see goprofinstr help diff", export.Plural(fs.NArg(), "argument"))
	}
	before, err := load(fs.Arg(0))
	if err != nil {
		return 0, err
	}
	after, err := load(fs.Arg(1))
	if err != nil {
		return 0, err
	}
	c, err := compare.New(before, after)
	if err != nil {
		return 0, fmt.Errorf("%s and %s: %w", fs.Arg(0), fs.Arg(1), err)
	}
	return 0, write(os.Stdout, c)
}
