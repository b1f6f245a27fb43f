package report

import (
	"slices"
	"strconv"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

// countText returns how often a path was executed, with the digits that are known of an estimate.
func countText(f *profile.Function, p *profile.Path) string {
	if e, ok := estimate(f, p); ok {
		return e.String()
	}
	return show.Count(p.Count)
}

// intervalOf says between which numbers the executions of a path are, "" if they were counted.
func intervalOf(f *profile.Function, p *profile.Path) string {
	if e, ok := estimate(f, p); ok {
		return e.Range()
	}
	return ""
}

// estimate returns the count of a path if it is an estimate.
func estimate(f *profile.Function, p *profile.Path) (e show.Estimate, ok bool) {
	if f.CertaintyOf(p) > profile.Estimated || p.Count == p.Exact && p.Samples == 0 {
		return e, false
	}
	low, high := p.Interval()
	return show.Estimate{N: p.Count, Samples: p.Samples, Low: low, High: high}, true
}

// flowText returns a sum of flows, which is of as few digits as estimates have if there are any in it.
func flowText(p *profile.Profile, flow int64) string {
	samples := int64(0)
	for _, f := range p.Functions() {
		for i := range f.Paths {
			if e, ok := estimate(f, &f.Paths[i]); ok {
				samples += e.Samples
			}
		}
	}
	if p.Rule() >= profile.Whether && samples == 0 {
		return show.Grouped(flow)
	}
	return show.Estimate{N: flow, Samples: samples, Low: flow, High: flow}.String()
}

// edgesText returns how often one of some edges was executed, in plain digits if that was counted.
func edgesText(f *profile.Function, count int64, edges ...int) string {
	samples, estimated := int64(0), false
	for i := range f.Paths {
		p := &f.Paths[i]
		if e, ok := estimate(f, p); ok && slices.ContainsFunc(edges, func(id int) bool { return slices.Contains(p.Edges, id) }) {
			samples, estimated = samples+e.Samples, true
		}
	}
	if !estimated {
		return strconv.FormatInt(count, 10)
	}
	return show.Estimate{N: count, Samples: samples, Low: count, High: count}.String()
}
