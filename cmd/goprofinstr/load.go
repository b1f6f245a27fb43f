package main

import (
	"fmt"
	"io"
	"os"

	"github.com/goprofinstr/goprofinstr/export"
	"github.com/goprofinstr/goprofinstr/export/profile"
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
		if i == 0 {
			line = fmt.Sprintf("goprofinstr: warning: %s: %s", dir, line)
		} else {
			line = "\t" + line
		}
		fmt.Fprintln(w, export.Printable(line))
	}
}
