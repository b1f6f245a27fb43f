package coverprofile

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/goprofinstr/goprofinstr/internal/show"
)

// Modes are those of -covermode.
var Modes = []string{"set", "count", "atomic"}

// Write writes the profile as go test -coverprofile does. In mode "set" counts are 0 or 1. The counts of mode
// "atomic" are those of "count".
func (p *Profile) Write(w io.Writer, mode string) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "mode: %s\n", mode)
	for _, t := range p.Tests {
		for _, b := range t.Extents {
			n := b.Count
			if mode == "set" {
				n = min(n, 1)
			}
			fmt.Fprintf(out, "%v %d\n", b.Extent, n)
		}
	}
	return out.Flush()
}

// Covered returns the number of statements in the extents of t, and of those that were executed.
func (t *TestProfile) Covered() (executed, statements int) {
	for _, b := range t.Extents {
		statements += b.Stmts
		if b.Count > 0 {
			executed += b.Stmts
		}
	}
	return executed, statements
}

// WriteSummary writes a line for each test in the words of go test -cover, and then what WriteMissing does.
func (p *Profile) WriteSummary(w io.Writer) error {
	out := bufio.NewWriter(w)
	in := ""
	if len(p.patterns) > 0 {
		in = " in " + strings.Join(p.patterns, ", ")
	}
	for i := range p.Tests {
		t := &p.Tests[i]
		executed, statements := t.Covered()
		if statements == 0 {
			fmt.Fprintf(out, "coverage: [no statements]\t%s\n", show.Printable(t.Package))
			continue
		}
		share := 100 * float64(executed) / float64(statements)
		fmt.Fprintf(out, "coverage: %.1f%% of statements%s\t%s\n", share, show.Printable(in), show.Printable(t.Package))
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return p.WriteMissing(w)
}

// WriteMissing writes a warning for all that the profile lacks.
func (p *Profile) WriteMissing(w io.Writer) error { return WriteMissing(w, p.Missing) }

// WriteMissing writes a warning for all that is missing.
func WriteMissing(w io.Writer, missing []Missing) error {
	return warn(w, missing, "block is left out", "blocks are left out")
}

// WriteZero is WriteMissing for a format that has what is missing with count 0.
func WriteZero(w io.Writer, missing []Missing) error {
	return warn(w, missing, "block counts as not executed", "blocks count as not executed")
}

// warn writes a warning for all that is missing, and what becomes of a block and of several.
func warn(w io.Writer, missing []Missing, one, several string) error {
	for _, m := range missing {
		fate := several
		if len(m.Extents) == 1 {
			fate = one
		}
		_, err := fmt.Fprintf(w, "goprofinstr: warning: coverage of %s is not known, %d %s: %s\n",
			show.Printable(m.subject()), len(m.Extents), fate, show.Printable(m.Reason))
		if err != nil {
			return err
		}
	}
	return nil
}

// subject says in a few words what the extents are of.
func (m *Missing) subject() string {
	switch n := len(m.Functions); n {
	case 0:
		return m.Package
	case 1:
		return m.Functions[0]
	default:
		return fmt.Sprintf("%d functions of %s", n, m.Package)
	}
}
