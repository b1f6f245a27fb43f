// Package known writes counts and shares with the digits that are known of them, as reports and pages have them. What was
// counted has all; of what was estimated the samples and the interval say how many.
package known

import (
	"slices"
	"strconv"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

// Count returns how often a path was executed, with the digits that are known of an estimate.
func Count(f *profile.Function, p *profile.Path) string {
	if e, ok := Estimate(f, p); ok {
		return e.String()
	}
	return show.Count(p.Count)
}

// Interval says between which numbers the executions of a path are, "" if they were counted.
func Interval(f *profile.Function, p *profile.Path) string {
	if e, ok := Estimate(f, p); ok {
		return e.Range()
	}
	return ""
}

// Estimate returns the count of a path if it is an estimate.
func Estimate(f *profile.Function, p *profile.Path) (e show.Estimate, ok bool) {
	if f.CertaintyOf(p) > profile.Estimated || p.Count == p.Exact && p.Samples == 0 {
		return e, false
	}
	low, high := p.Interval()
	return show.Estimate{N: p.Count, Samples: p.Samples, Low: low, High: high}, true
}

// Flow returns a sum of flows, which is of as few digits as estimates have if there are any in it.
func Flow(p *profile.Profile, flow int64) string {
	samples := int64(0)
	for _, f := range p.Functions() {
		for i := range f.Paths {
			if e, ok := Estimate(f, &f.Paths[i]); ok {
				samples += e.Samples
			}
		}
	}
	if p.Rule() >= profile.Whether && samples == 0 {
		return show.Grouped(flow)
	}
	return show.Estimate{N: flow, Samples: samples, Low: flow, High: flow}.String()
}

// Edges returns how often one of some edges was executed, in plain digits if that was counted.
func Edges(f *profile.Function, count int64, edges ...int) string {
	samples, estimated := int64(0), false
	for i := range f.Paths {
		p := &f.Paths[i]
		if e, ok := Estimate(f, p); ok && slices.ContainsFunc(edges, func(id int) bool { return slices.Contains(p.Edges, id) }) {
			samples, estimated = samples+e.Samples, true
		}
	}
	if !estimated {
		return strconv.FormatInt(count, 10)
	}
	return show.Estimate{N: count, Samples: samples, Low: count, High: count}.String()
}

// Share returns the share of a path in a sum of flows.
func Share(f *profile.Function, p *profile.Path, flow int64) string {
	if e, ok := Estimate(f, p); ok {
		return show.Share(p.Flow(), flow, e.Samples)
	}
	return show.Percent(p.Flow(), flow)
}

// FlowShare returns the share of a function in a sum of flows.
func FlowShare(f *profile.Function, flow int64) string {
	samples, of, estimated := int64(0), int64(0), false
	for i := range f.Paths {
		e, ok := Estimate(f, &f.Paths[i])
		samples, of, estimated = samples+e.Samples, of+f.Paths[i].Flow(), estimated || ok
	}
	if estimated {
		return show.Share(of, flow, samples)
	}
	return show.Percent(of, flow)
}

// Calls returns how many activations of a function have begun.
func Calls(f *profile.Function) string {
	samples, estimated := calls(f)
	if !estimated {
		return show.Count(f.Entries)
	}
	return show.Estimate{N: f.Entries, Samples: samples, Low: f.Entries, High: f.Entries}.String()
}

// calls returns how many samples say how often a function was called, and whether any do.
func calls(f *profile.Function) (samples int64, estimated bool) {
	for i := range f.Paths {
		if p := &f.Paths[i]; !p.Loop {
			e, ok := Estimate(f, p)
			samples, estimated = samples+e.Samples, estimated || ok
		}
	}
	return samples, estimated
}

// Each returns the CPU time of a call of a function, of time in ns that rests on so many ticks. It is no better known
// than the less known of time and calls.
func Each(f *profile.Function, ns, ticks int64) string {
	if f.Entries == 0 {
		return ""
	}
	samples, estimated := calls(f)
	if estimated && samples < show.LeastSamples || ticks < show.LeastSamples {
		return "few"
	}
	if estimated { // variances of quotients are the sum of those of both
		ticks = max(show.LeastSamples, ticks*samples/(ticks+samples))
	}
	e := show.Estimate{N: ns / f.Entries, Samples: ticks, Low: ns / f.Entries, High: ns / f.Entries}
	return "~" + e.Duration().String()
}

// Block returns how often a block was executed.
func Block(f *profile.Function, block int) string { return BlockCount(f, block, f.Blocks[block]) }

// BlockCount is Block for a count that is known.
func BlockCount(f *profile.Function, block int, count int64) string {
	samples, estimated := int64(0), false
	for i := range f.Paths {
		p := &f.Paths[i]
		through := p.Start == block || slices.ContainsFunc(p.Edges, func(id int) bool { return f.Table.Edges[id].To == block })
		if e, ok := Estimate(f, p); ok && through {
			samples, estimated = samples+e.Samples, true
		}
	}
	if !estimated {
		return show.Count(count)
	}
	return show.Estimate{N: count, Samples: samples, Low: count, High: count}.String()
}
