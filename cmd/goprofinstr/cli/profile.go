package cli

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/usage"
	"github.com/goprofinstr/goprofinstr/export"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

// What commands that read profiles have in common.

// load reads a profile directory, and warns of what in it cannot be read.
func load(dir string) (*profile.Profile, error) {
	p, err := profile.Load(dir)
	if err == nil {
		warnDamage(os.Stderr, dir, p)
	}
	return p, err
}

// warnDamage prints a few lines about what is left out of a profile.
func warnDamage(w io.Writer, dir string, p *profile.Profile) {
	for i, line := range p.DamageLines() {
		before := "\t"
		if i == 0 {
			before = "goprofinstr: warning: " + show.Printable(dir) + ": "
		}
		fmt.Fprintf(w, "%s%s\n", before, show.Printable(line))
	}
}

// loadOne reads the one profile directory of the command line.
func (c *command) loadOne(args []string) (*profile.Profile, error) {
	if len(args) != 1 {
		return nil, usage.Errorf("want one profile directory, got %s; see goprofinstr help %s",
			show.Plural(len(args), "argument"), c.name)
	}
	return load(args[0])
}

// A writer writes a profile in one format.
type writer func(io.Writer, *profile.Profile) error

// choose returns what is to be done for -format.
func choose[W any](format string, formats map[string]W) (W, error) {
	write, ok := formats[format]
	if ok {
		return write, nil
	}
	known := strings.Join(slices.Sorted(maps.Keys(formats)), ", ")
	if format == "" {
		return write, usage.Errorf("no -format given; want one of %s", known)
	}
	return write, usage.Errorf("unknown format %q; want one of %s", format, known)
}

// convert writes the profile in the one directory of args to output in the given format.
func (c *command) convert(format, output string, args []string, formats map[string]writer) error {
	write, err := choose(format, formats)
	if err != nil {
		return err
	}
	p, err := c.loadOne(args)
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
