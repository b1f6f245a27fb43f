// Package known writes counts and shares with the digits that are known of them, as reports and pages have them. What was
// counted has all. What was estimated has those that its 95% interval leaves, which is the one of the JSON export. Where
// no interval is known (package profile has a nil Number), the number of samples says how many.
package known

import (
	"slices"
	"strconv"
	"strings"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

// Count returns how often a path was executed, with the digits that are known of an estimate.
func Count(f *profile.Function, p *profile.Path) string { return PathsOf(f).Count(p) }

// Interval says between which numbers the executions of a path are, "" if they were counted.
func Interval(f *profile.Function, p *profile.Path) string { return PathsOf(f).Interval(p) }

// Estimate returns the count of a path if it is an estimate.
func Estimate(f *profile.Function, p *profile.Path) (e show.Estimate, ok bool) {
	return PathsOf(f).Estimate(p)
}

// AllPaths has how often each path of a function was executed. What is known of one can follow from all others, so that
// many are asked for at once.
type AllPaths struct {
	f      *profile.Function
	number func(*profile.Path) *profile.Number
}

// PathsOf returns the paths of f.
func PathsOf(f *profile.Function) *AllPaths { return &AllPaths{f, f.PathNumbers()} }

// Count is that of the package for one of the paths.
func (a *AllPaths) Count(p *profile.Path) string {
	if e, ok := a.Estimate(p); ok {
		return e.String()
	}
	return show.Count(p.Count)
}

// Interval is that of the package for one of the paths.
func (a *AllPaths) Interval(p *profile.Path) string {
	if e, ok := a.Estimate(p); ok {
		return e.Range()
	}
	return ""
}

// Estimate is that of the package for one of the paths.
func (a *AllPaths) Estimate(p *profile.Path) (e show.Estimate, ok bool) {
	f := a.f
	if f.CertaintyOf(p) > profile.Estimated || p.Count == p.Exact && p.Samples == 0 {
		return e, false
	}
	n := a.number(p)
	e = estimate(n, p.Count, p.Samples, f.Off)
	if e.Open = n == nil && f.Counted; e.Open {
		e.Exact = p.Counted()
	}
	return e, n == nil || !n.Sure()
}

// estimate returns a number, or one of which only a count and samples are known.
func estimate(n *profile.Number, count, samples int64, off float64) show.Estimate {
	if n == nil {
		return show.Estimate{N: count, Samples: samples, Low: count, High: count, Off: off}
	}
	return show.Estimate{N: n.Estimate, Samples: n.Samples, Exact: n.Exact, Low: n.Low, High: n.High}
}

// A Flow is the flow of all paths of a profile.
type Flow struct {
	flow      int64
	number    *profile.Number // nil if no more is known
	samples   int64
	off       float64 // that of functions
	estimated bool
	open      bool // paths may have more flow than is counted here, and nothing tells how much
}

// FlowOf returns the flow of p.
func FlowOf(p *profile.Profile) *Flow {
	all := &Flow{flow: p.Coverage().Flow, number: p.FlowNumber(), estimated: p.Rule() < profile.Whether}
	for _, f := range p.Functions() {
		samples, _, estimated := flowSamples(f)
		all.samples, all.estimated = all.samples+samples, all.estimated || estimated
		all.open, all.off = all.open || IsOpen(f), max(all.off, f.Off)
	}
	return all
}

// IsOpen reports whether nothing tells how often a path of f was executed, but that it was so often at least. Nor may
// there be samples of other paths, beside which it is little.
func IsOpen(f *profile.Function) bool {
	if samples, _, _ := flowSamples(f); samples > 0 {
		return false
	}
	paths := PathsOf(f)
	return slices.ContainsFunc(f.Paths, func(p profile.Path) bool {
		e, _ := paths.Estimate(&p)
		return e.Open
	})
}

// Open reports whether the flow may be more, so that shares are less.
func (a *Flow) Open() bool { return a.open }

// flowSamples returns how many samples the flow of f rests on, how much that is, and whether any of it was estimated.
func flowSamples(f *profile.Function) (samples, flow int64, estimated bool) {
	paths := PathsOf(f)
	for i := range f.Paths {
		e, ok := paths.Estimate(&f.Paths[i])
		samples, flow, estimated = samples+e.Samples, flow+f.Paths[i].Flow(), estimated || ok
	}
	return samples, flow, estimated
}

// String returns the flow with the digits that are known.
func (a *Flow) String() string {
	switch {
	case a.open && a.number != nil && !a.number.Sure():
		return show.AtLeast(a.number.Low)
	case a.open:
		return "≥" + show.Grouped(a.flow)
	}
	if !a.estimated || a.number != nil && a.number.Sure() {
		return show.Grouped(a.flow)
	}
	return estimate(a.number, a.flow, a.samples, a.off).String()
}

// Share returns the share of a path.
func (a *Flow) Share(f *profile.Function, p *profile.Path) string {
	e, ok := Estimate(f, p)
	if ok && e.Few() {
		return show.Unknown
	}
	return a.share(f.FlowNumber(p), p.Flow(), e.Samples, ok)
}

// ShareOf returns the share of functions: one, or those of a package.
func (a *Flow) ShareOf(functions ...*profile.Function) string {
	if a.open && slices.ContainsFunc(functions, IsOpen) {
		return show.Unknown
	}
	samples, flow, estimated := int64(0), int64(0), false
	for _, f := range functions {
		s, n, e := flowSamples(f)
		samples, flow, estimated = samples+s, flow+n, estimated || e
	}
	n := profile.FlowNumber(functions...)
	if estimated && estimate(n, flow, samples, a.off).Few() {
		return show.Unknown
	}
	return a.share(n, flow, samples, estimated)
}

// Part returns the share of n executions in all, which are of paths of all functions. Paths without branches have no flow, so
// that it may be sure where samples are not.
func (a *Flow) Part(n, all int64) string {
	if a.open {
		return show.Unknown
	}
	if !a.estimated || a.samples == 0 && a.number != nil && a.number.Sure() {
		return show.Percent(n, all)
	}
	return show.Share(n, all, a.samples)
}

// share returns the share of a number, or, if that is not known, of a flow that was estimated from samples, or counted.
func (a *Flow) share(n *profile.Number, flow, samples int64, estimated bool) string {
	switch {
	case a.open && (estimated || a.number != nil && !a.number.Sure()):
		if r := n.ShareOf(a.number); r != nil {
			return show.AtMost(r.High)
		}
		return show.Unknown
	case a.open && flow > 0:
		share := show.Percent(flow, a.flow)
		if strings.HasPrefix(share, ">") {
			share = "100%"
		}
		return "≤" + strings.TrimPrefix(share, "<")
	}
	if r := n.ShareOf(a.number); r != nil && r.Low < r.High {
		return show.ShareWithin(r.Estimate, r.Low, r.High)
	}
	if !estimated {
		return show.Percent(flow, a.flow)
	}
	return show.Share(flow, a.flow, samples)
}

// AllEdges has how often each edge of a function was executed. They are all known at once.
type AllEdges struct {
	f       *profile.Function
	numbers []profile.EdgeNumber
	paths   *AllPaths
	of      [][]int // edges that say how often each block was executed; nil until one is asked for
	sums    map[int]blockSum
}

// A blockSum is how often a block was executed.
type blockSum struct {
	show.Estimate
	estimated bool
}

// EdgesOf returns the edges of f.
func EdgesOf(f *profile.Function) *AllEdges {
	return &AllEdges{f: f, numbers: f.EdgeNumbers(), paths: PathsOf(f)}
}

// Text returns how often one of some edges was executed, which is count, in plain digits if that was counted.
func (a *AllEdges) Text(count int64, edges ...int) string {
	if e, ok := a.Estimate(count, edges...); ok {
		return e.String()
	}
	return strconv.FormatInt(count, 10)
}

// Estimate returns how often one of some edges was executed, which is count, if that is an estimate. Its interval is no
// less than that of the sum.
func (a *AllEdges) Estimate(count int64, edges ...int) (e show.Estimate, ok bool) {
	if a.f.Certainty() > profile.Estimated {
		return e, false
	}
	known := a.numbers != nil
	for _, id := range edges {
		if known = known && a.numbers[id].Number != nil; !known {
			break
		}
		n := a.numbers[id].Number
		e.N, e.Samples, e.Exact, e.Low, e.High = e.N+n.Estimate, e.Samples+n.Samples, e.Exact+n.Exact, e.Low+n.Low, e.High+n.High
	}
	if known {
		return e, e.Samples > 0 || e.Exact < e.N
	}
	e = estimate(nil, count, 0, a.f.Off)
	for i := range a.f.Paths {
		p := &a.f.Paths[i]
		if slices.ContainsFunc(edges, func(id int) bool { return slices.Contains(p.Edges, id) }) {
			ok = a.paths.addTo(&e, p) || ok
		}
	}
	return e, ok
}

// Share returns what share of all executions of its block an edge has, which was executed count times.
func (a *AllEdges) Share(id int, count, all int64) string {
	from := a.f.Table.Edges[id].From
	sum := a.sum(from, all)
	if !sum.estimated || len(a.edges(from)) == 1 {
		return show.Percent(count, all)
	}
	e, ok := a.Estimate(count, id)
	switch {
	case ok && e.Few():
		return show.Unknown
	case a.numbers == nil && !ok: // the others are estimates
		return show.Share(count, all, sum.Samples)
	case a.numbers == nil:
		return show.Share(count, all, e.Samples)
	}
	switch r := a.numbers[id].Share; {
	case r == nil:
		return show.Unknown
	case r.Low == r.High:
		return show.Percent(count, all)
	default:
		return show.ShareWithin(r.Estimate, r.Low, r.High)
	}
}

// sum returns how often a block was executed, which is count. The edges out of a block all ask for it.
func (a *AllEdges) sum(block int, count int64) blockSum {
	s, ok := a.sums[block]
	if !ok {
		if a.sums == nil {
			a.sums = make(map[int]blockSum)
		}
		s.Estimate, s.estimated = a.Estimate(count, a.edges(block)...)
		a.sums[block] = s
	}
	return s
}

// addTo adds to e, of which no more than a count is known, what is known of a path that is a part of it. It reports
// whether that is an estimate.
func (a *AllPaths) addTo(e *show.Estimate, p *profile.Path) (estimated bool) {
	path, estimated := a.Estimate(p)
	e.Samples += path.Samples
	if e.Open = a.f.Counted; e.Open {
		e.Exact += p.Counted()
	}
	return estimated
}

// Calls returns how many activations of a function have begun.
func Calls(f *profile.Function) string {
	e, estimated := EstimateOfCalls(f)
	if !estimated {
		return show.Count(e.N)
	}
	return e.String()
}

// EstimateOfCalls returns how often a function was called, and whether that is an estimate.
func EstimateOfCalls(f *profile.Function) (e show.Estimate, estimated bool) {
	if n := f.CallsNumber(); n != nil {
		return estimate(n, 0, 0, f.Off), n.Samples > 0 || n.Exact < n.Estimate
	}
	e = estimate(nil, f.Entries, 0, f.Off)
	paths := PathsOf(f)
	for i := range f.Paths {
		if p := &f.Paths[i]; !p.Loop {
			estimated = paths.addTo(&e, p) || estimated
		}
	}
	return e, estimated
}

// Each returns the CPU time of a call of a function, of time in ns that rests on so many ticks. It is no better known than
// the less known of time and calls: [show.Unknown] of few samples of either.
func Each(f *profile.Function, ns, ticks int64) string {
	e, n := each(f, ns, ticks)
	switch {
	case n == 0:
		return ""
	case e.Few():
		return show.Unknown
	}
	return "~" + e.Duration().String()
}

// EachInterval returns between which times a call of a function is, "" if Each has no number.
func EachInterval(f *profile.Function, ns, ticks int64) string {
	if e, n := each(f, ns, ticks); n > 0 && !e.Few() {
		return e.Durations()
	}
	return ""
}

// each returns the time of a call, in ns, and the number of calls.
func each(f *profile.Function, ns, ticks int64) (e show.Estimate, n int64) {
	calls, estimated := EstimateOfCalls(f)
	if calls.N == 0 {
		return e, 0
	}
	if estimated && calls.Few() {
		ticks = 0
	}
	if r := f.CallsNumber().PerCall(ns, ticks); r != nil {
		return show.Estimate{N: int64(r.Estimate), Samples: ticks, Low: int64(r.Low), High: int64(r.High)}, calls.N
	}
	if estimated && ticks >= show.LeastSamples { // variances of quotients are the sum of those of both
		ticks = max(show.LeastSamples, ticks*calls.Samples/(ticks+calls.Samples))
	}
	return estimate(nil, ns/calls.N, ticks, calls.Off), calls.N
}

// Block returns how often a block was executed, which is count.
func (a *AllEdges) Block(block int, count int64) string {
	if s := a.sum(block, count); s.estimated {
		return s.String()
	}
	return show.Count(count)
}

// edges returns those that say how often a block was executed: those out of it, and into the exit.
func (a *AllEdges) edges(block int) []int {
	if a.of == nil {
		a.of = make([][]int, len(a.f.Table.Blocks))
		for id, e := range a.f.Table.Edges {
			a.of[e.From] = append(a.of[e.From], id)
			if e.To == a.f.Table.Exit {
				a.of[e.To] = append(a.of[e.To], id)
			}
		}
	}
	return a.of[block]
}
