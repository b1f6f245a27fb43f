// Package about says what has to be said of a profile before its numbers: what ran, how it was counted, what is left
// out, and what makes the numbers doubtful.
package about

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

// Mode says how the counts of a profile came about.
func Mode(p *profile.Profile) string {
	switch {
	case p.Stratified:
		return "stratified"
	case p.Sampled:
		return "sampled"
	}
	return "exact"
}

// SampledBy says what the estimates of a profile are made of.
func SampledBy(p *profile.Profile) string {
	if p.Sampled && !p.Stratified {
		return sumSampling(p).String()
	}
	return sampledInStrata(p)
}

// sampledInStrata returns "12,345 samples of 3,160,320 path ends by H[P256]2048".
func sampledInStrata(p *profile.Profile) string {
	var samples, ends int64
	functions := 0
	for _, f := range p.Functions() {
		if !f.InStrata() {
			continue
		}
		functions++
		for i := range f.Paths {
			samples += f.Paths[i].Samples
			ends += f.Paths[i].Count
		}
	}
	var specs []string
	for _, r := range p.Runs {
		if r.Stream != nil && !slices.Contains(specs, r.Stream.Spec) {
			specs = append(specs, r.Stream.Spec)
		}
	}
	text := fmt.Sprintf("%s of %s by %s",
		show.Plural(int(samples), "sample"), show.Plural(int(ends), "path end"), show.Printable(strings.Join(specs, ", ")))
	if !p.Sampled {
		text += fmt.Sprintf(", of %s with too many paths to count", show.Plural(functions, "function"))
	}
	return text
}

// sampling is what the runs of a profile did to sample their paths, added up.
type sampling struct {
	ticks, samples uint64
	cpu, cost      time.Duration
	contexts, cut  uint64
	folded         uint64
	left           uint64 // probes that never fire, in any program
}

func sumSampling(p *profile.Profile) sampling {
	var sum sampling
	for _, r := range p.Runs {
		if s := r.Sampling; s != nil {
			sum.ticks += s.Ticks
			sum.samples += s.Samples
			sum.cpu += s.CPU
			sum.cost += s.Cost
			sum.contexts += s.Contexts
			sum.cut += s.Cut
			sum.folded += s.Folded
			sum.left = max(sum.left, s.Left)
		}
	}
	return sum
}

// String returns "64,512 samples at 1,008 ticks in 10.1s of CPU time, which took 0.2% of it", and what is missing:
// contexts that a full tree could not take, and probes that do not work.
func (s sampling) String() string {
	text := fmt.Sprintf("%s at %s in %s of CPU time",
		show.Plural(int(s.samples), "sample"), show.Plural(int(s.ticks), "tick"), show.Round(s.cpu))
	if s.ticks > 0 {
		text += ", which took " + show.Percent(int64(s.cost), int64(s.cpu)) + " of it"
	}
	if s.cut > 0 {
		text += "; " + show.Percent(int64(s.cut), int64(s.contexts)) + " of contexts are cut short, for want of room"
	}
	if s.folded > 0 {
		text += "; " + show.Plural(int(s.folded), "rare context") + " folded into others"
	}
	if s.left > 0 {
		text += "; " + show.Plural(int(s.left), "probe") + " of another shape than others are never sampled"
	}
	return text
}

// Program returns the base name of the program that ran, or "" if it was
// not one and the same: test binaries lie in a new temporary directory each time.
func Program(p *profile.Profile) string {
	name := ""
	for _, r := range p.Runs {
		if len(r.Args) == 0 {
			return ""
		}
		base := filepath.Base(r.Args[0])
		if name != "" && base != name {
			return ""
		}
		name = base
	}
	return name
}
