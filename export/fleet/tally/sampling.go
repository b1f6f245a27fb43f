package tally

import (
	"slices"
	"strings"
	"time"

	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/sampler"
)

// A Sampling says how the estimates of runs came about. Numbers are sums over the runs, unless it is said otherwise. Times are
// CPU time.
type Sampling struct {
	Ticks   uint64
	Samples uint64        // that ticks started
	Counted uint64        // path ends that were counted
	CPU     time.Duration // that the samples stand for
	Cost    time.Duration // of it, what sampling took

	Contexts, Cut, Folded uint64 // calling contexts: see rundata.Sampling

	// The most of any run:
	Period time.Duration // between ticks
	Burst  uint64        // samples that one tick starts
	Left   uint64        // probes that never fire
	Off    float64       // how far off all estimates may be together: see rundata.Sampling

	Specs []string // what events were sampled by in strata, sorted
}

// samplingOf returns how a run was sampled, whose estimates may be so far off together.
func samplingOf(run *rundata.Run, off float64) *Sampling {
	out := new(Sampling)
	if s := run.Sampling; s != nil {
		*out = Sampling{
			Ticks: s.Ticks, Samples: s.Samples, Counted: s.CountedEnds, CPU: s.CPU, Cost: s.Cost,
			Contexts: s.Contexts, Cut: s.Cut, Folded: s.Folded,
			Period: s.Period, Burst: s.Policy.Samples, Left: s.Left,
		}
	}
	out.Off = off
	if run.Stream != nil {
		out.Specs = []string{run.Stream.Spec}
	}
	return out
}

// bothSamplings returns how the estimates of two tallies came about, which may have none.
func bothSamplings(a, b *Tally) *Sampling {
	switch {
	case !b.Sampled:
		return a.Sampling
	case !a.Sampled:
		return b.Sampling
	case a.Sampling == nil || b.Sampling == nil:
		return nil
	}
	s, t := a.Sampling, b.Sampling
	return &Sampling{
		Ticks: s.Ticks + t.Ticks, Samples: s.Samples + t.Samples, Counted: s.Counted + t.Counted, CPU: s.CPU + t.CPU, Cost: s.Cost + t.Cost,
		Contexts: s.Contexts + t.Contexts, Cut: s.Cut + t.Cut, Folded: s.Folded + t.Folded,
		Period: max(s.Period, t.Period), Burst: max(s.Burst, t.Burst), Left: max(s.Left, t.Left), Off: max(s.Off, t.Off),
		Specs: slices.Compact(slices.Sorted(slices.Values(slices.Concat(s.Specs, t.Specs)))),
	}
}

// since returns how estimates came about that have been made since before.
func (s *Sampling) since(before *Tally) *Sampling {
	if s == nil || before.Sampled && before.Sampling == nil {
		return nil
	}
	since := *s
	if b := before.Sampling; b != nil {
		less := func(a *uint64, b uint64) { *a -= min(*a, b) }
		less(&since.Ticks, b.Ticks)
		less(&since.Samples, b.Samples)
		less(&since.Counted, b.Counted)
		less(&since.Contexts, b.Contexts)
		less(&since.Cut, b.Cut)
		less(&since.Folded, b.Folded)
		since.CPU -= min(since.CPU, b.CPU)
		since.Cost -= min(since.Cost, b.Cost)
	}
	return &since
}

// Of returns what a run has that was sampled so: nil where nothing is known, or nothing was.
func (s *Sampling) Of() (ticks *rundata.Sampling, stream *rundata.Stream) {
	if s == nil {
		return nil, nil
	}
	if len(s.Specs) > 0 {
		stream = &rundata.Stream{Spec: strings.Join(s.Specs, ", ")}
	}
	if s.Period > 0 || s.Ticks > 0 || stream == nil {
		ticks = &rundata.Sampling{
			Policy: sampler.Policy{Samples: s.Burst}, Period: s.Period, Ticks: s.Ticks, Samples: s.Samples, CountedEnds: s.Counted,
			CPU: s.CPU, Cost: s.Cost, Contexts: s.Contexts, Cut: s.Cut, Folded: s.Folded, Left: s.Left, Off: s.Off,
		}
	}
	return ticks, stream
}
