package export

import (
	"fmt"
	"time"

	"github.com/goprofinstr/goprofinstr/export/profile"
)

// kind says how the counts of a profile came about.
func kind(p *profile.Profile) string {
	if p.Sampled {
		return "sampled"
	}
	return "exact"
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

// String returns "64,512 samples at 1,008 ticks in 10.1s of CPU time, which took 0.2% of it", and what is missing: contexts that a full tree could not take, and probes that do not work.
func (s sampling) String() string {
	text := fmt.Sprintf("%s at %s in %s of CPU time", plural(int(s.samples), "sample"), plural(int(s.ticks), "tick"), roundTime(s.cpu))
	if s.ticks > 0 {
		text += ", which took " + percent(int64(s.cost), int64(s.cpu)) + " of it"
	}
	if s.cut > 0 {
		text += "; " + percent(int64(s.cut), int64(s.contexts)) + " of contexts are cut short, for want of room"
	}
	if s.folded > 0 {
		text += "; " + plural(int(s.folded), "rare context") + " folded into others"
	}
	if s.left > 0 {
		text += "; " + plural(int(s.left), "probe") + " of another shape than others are never sampled"
	}
	return text
}

// roundTime rounds to three digits or so.
func roundTime(d time.Duration) time.Duration {
	for unit := time.Second; unit > time.Nanosecond; unit /= 10 {
		if d >= 10*unit {
			return d.Round(unit / 10)
		}
	}
	return d
}
