package export

import (
	"fmt"
	"time"

	"github.com/goprofinstr/goprofinstr/export/internal/show"
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
}

func sumSampling(p *profile.Profile) sampling {
	var sum sampling
	for _, r := range p.Runs {
		if s := r.Sampling; s != nil {
			sum.ticks += s.Ticks
			sum.samples += s.Samples
			sum.cpu += s.CPU
			sum.cost += s.Cost
		}
	}
	return sum
}

// String returns "64,512 samples at 1,008 ticks in 10.1s of CPU time, which took 0.2% of it".
func (s sampling) String() string {
	text := fmt.Sprintf("%s at %s in %s of CPU time", plural(int(s.samples), "sample"), plural(int(s.ticks), "tick"), show.Round(s.cpu))
	if s.ticks > 0 {
		text += ", which took " + percent(int64(s.cost), int64(s.cpu)) + " of it"
	}
	return text
}
