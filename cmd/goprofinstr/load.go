package main

import (
	"fmt"
	"io"
	"os"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

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
