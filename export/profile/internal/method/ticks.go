package method

import (
	"fmt"
	"time"

	"github.com/goprofinstr/goprofinstr/internal/show"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// ticks have estimates and samples.
type ticks struct{ estimated }

func init() { register(table.Ticks, ticks{}) }

func (ticks) Says() Words {
	return Words{Mode: "sampled", Counts: "samples", Title: "Estimates from samples"}
}

// Account returns "9,310 path ends counted, and 64,512 samples at 1,008 ticks in 10.1s of CPU time, which took 0.2% of it".
// Account adds what is missing: contexts that a full tree could not take, and probes that do not work. Account returns "" if
// nothing is known, as of an archive of an earlier goprofinstr.
func (ticks) Account(a Account) string {
	if len(a.Samplings) == 0 {
		return ""
	}
	s := sumSampling(a.Samplings)
	text := show.Plural(int(s.samples), "sample")
	switch {
	case s.counted > 0 && s.samples > 0:
		text = show.Plural(int(s.counted), "path end") + " counted, and " + text
	case s.counted > 0:
		text = show.Plural(int(s.counted), "path end") + " counted"
	}
	text += fmt.Sprintf(" at %s in %s of CPU time", show.Plural(int(s.ticks), "tick"), show.Round(s.cpu))
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

// sampling is what runs did to sample their paths, added up.
type sampling struct {
	ticks, samples uint64
	counted        uint64 // path ends
	cpu, cost      time.Duration
	contexts, cut  uint64
	folded         uint64
	left           uint64 // probes that never fire, in any program
}

func sumSampling(runs []*rundata.Sampling) sampling {
	var sum sampling
	for _, s := range runs {
		sum.ticks += s.Ticks
		sum.samples += s.Samples
		sum.counted += s.CountedEnds
		sum.cpu += s.CPU
		sum.cost += s.Cost
		sum.contexts += s.Contexts
		sum.cut += s.Cut
		sum.folded += s.Folded
		sum.left = max(sum.left, s.Left)
	}
	return sum
}
