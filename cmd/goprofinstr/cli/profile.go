package cli

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/glossary"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/guess"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/outdir"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/sourceroot"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/stale"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/usage"
	"github.com/goprofinstr/goprofinstr/export"
	"github.com/goprofinstr/goprofinstr/export/fleet/archive"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/export/profiledir"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

// What commands that read profiles have in common.

// load reads a profile directory or an archive, and warns of what in it cannot be read.
func load(dir string, c chosen) (*profile.Profile, error) {
	if archive.Is(dir) {
		return c.load(dir)
	}
	if err := c.check(dir); err != nil {
		return nil, err
	}
	p, err := profile.Load(dir)
	if err == nil {
		warnDamage(os.Stderr, dir, p)
	}
	return p, err
}

// check returns an error for a profile directory that is not there, and for what is chosen of one: that is for archives.
func (c chosen) check(dir string) error {
	if archive.Is(dir) {
		return nil
	}
	if _, err := os.Stat(dir); dir == outdir.Default && errors.Is(err, os.ErrNotExist) {
		if above := profileAbove(); above != "" {
			return fmt.Errorf("there is no %s here, but one is %s; name it", dir, show.Printable(above))
		}
		return fmt.Errorf("there is no %s here; make one, as with goprofinstr wrap go test ./..., "+
			"or name another profile directory", dir)
	}
	return c.refuse(dir)
}

// profileAbove returns the profile directory that wrap has written in the nearest folder above, "" if there is none.
func profileAbove() string {
	for dir := ".."; ; dir = filepath.Join(dir, "..") {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return ""
		}
		if m, err := profiledir.ReadManifest(filepath.Join(dir, outdir.Default)); err == nil && m != nil {
			return filepath.Join(dir, outdir.Default)
		}
		if abs == filepath.Dir(abs) {
			return ""
		}
	}
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

// dir returns the one profile directory of the command line; without any it is where wrap writes to.
func (c *command) dir(fs *flag.FlagSet) (string, error) {
	switch words := fs.Args(); {
	case len(words) == 0:
		return outdir.Default, nil
	case len(words) == 1:
		return words[0], nil
	case words[0] == "go":
		return "", usage.Errorf("want a profile directory and no go command; goprofinstr wrap %s makes one",
			show.Printable(strings.Join(words, " ")))
	default:
		return "", usage.Errorf("want one profile directory, got %s; see goprofinstr help %s",
			show.Plural(len(words), "argument"), c.name)
	}
}

// dirs returns the profile directories of the command line; without any it is where wrap writes to, which has to be there.
func dirs(words []string) ([]string, error) {
	if len(words) > 0 {
		return words, nil
	}
	return []string{outdir.Default}, chosen{}.check(outdir.Default)
}

// loadOne reads the one profile directory of the command line.
func (c *command) loadOne(fs *flag.FlagSet) (dir string, p *profile.Profile, err error) {
	if dir, err = c.dir(fs); err != nil {
		return "", nil, err
	}
	if p, err = load(dir, chosenOf(fs)); err == nil {
		if err = c.findSources(p); err == nil {
			warnStale(stale.Mark(p, dir))
		}
	}
	return dir, p, err
}

// findSources takes the sources of a profile from -src or, if it has none, from where the command runs, and says so.
func (c *command) findSources(p *profile.Profile) error {
	if c.src != "" {
		return sourcesIn(p, c.src)
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil
	}
	if root := sourceroot.Set(p, dir); root != "" {
		unknown := ""
		if len(p.Sums) == 0 {
			unknown = ", as they are now"
		}
		fmt.Fprintf(os.Stderr, "goprofinstr: sources are those in %s%s\n", show.Printable(root), unknown)
	}
	return nil
}

// sourcesIn takes the sources of a profile from the folder of -src.
func sourcesIn(p *profile.Profile, src string) error {
	if root := sourceroot.Around(p, src); root == "" {
		return fmt.Errorf("-src %s: no source of the profile is there; want the folder of the module that was built",
			show.Printable(src))
	}
	return nil
}

// warnStale warns of sources that are not what was run any more, by the text of stale.Mark: a report has the lines that they had.
func warnStale(text string) {
	if text != "" {
		fmt.Fprintf(os.Stderr, "goprofinstr: warning: %s\n", text)
	}
}

// A writer writes the profile in directory dir in one format.
type writer func(w io.Writer, dir string, p *profile.Profile) error

// plain is for formats in which it does not matter where the profile is.
func plain(write func(io.Writer, *profile.Profile) error) writer {
	return func(w io.Writer, _ string, p *profile.Profile) error { return write(w, p) }
}

// explained is for formats that people read: words in them are explained below.
func explained(s glossary.Style, write func(io.Writer, *profile.Profile) error) writer {
	return func(w io.Writer, _ string, p *profile.Profile) error {
		return glossary.Explain(w, s, func(w io.Writer) error { return write(w, p) })
	}
}

// choose returns what is to be done for -format.
func choose[W any](format string, formats map[string]W) (W, error) {
	write, ok := formats[format]
	if ok {
		return write, nil
	}
	names := slices.Sorted(maps.Keys(formats))
	known := strings.Join(names, ", ")
	if format == "" {
		return write, usage.Errorf("no -format given; want one of %s", known)
	}
	return write, usage.Errorf("unknown format %q%s; want one of %s", format, guess.Hint(format, "", names), known)
}

// convert writes the profile in the one directory of the command line to output in the given format.
func (c *command) convert(format, output string, fs *flag.FlagSet, formats map[string]writer) error {
	write, err := choose(format, formats)
	if err != nil {
		return err
	}
	dir, p, err := c.loadOne(fs)
	if err != nil {
		return err
	}
	if output == "" {
		w := bufio.NewWriter(os.Stdout)
		if err := write(w, dir, p); err != nil {
			return err
		}
		return w.Flush()
	}
	return export.WriteFile(output, p, func(w io.Writer, p *profile.Profile) error { return write(w, dir, p) })
}
