// Package about says what has to be said of a profile before its numbers. That is what ran, what is left out, and what
// makes the numbers doubtful. How it was counted a profile says itself.
package about

import (
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
)

// Program returns the base name of the program that ran, or "" if it was not one and the same. Test binaries lie in a new
// temporary directory each time.
func Program(p *profile.Profile) string {
	name := ""
	for _, r := range p.Runs {
		if len(r.Args) == 0 {
			return ""
		}
		base := rundata.Program(r.Args)
		if name != "" && base != name {
			return ""
		}
		name = base
	}
	return name
}
