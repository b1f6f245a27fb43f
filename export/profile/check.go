package profile

import (
	"errors"
	"fmt"
)

// ErrLostUpdates is wrapped by the errors of [Function.Check] that only lost
// counter updates explain.
var ErrLostUpdates = errors.New("counter updates were lost to concurrency (wrap -atomic loses none)")

// maxCheckErrors is how many errors Profile.Check lists: enough to see a
// pattern, few enough to read.
const maxCheckErrors = 10

// Check reports where the counts of p contradict each other. Flow conservation, "what enters a block leaves it", must hold for
// every function up to the activations abandoned in it. Paths whose counts are not exact must only be paths. The error lists the
// first contradictions and their total, a line each. errors.Is(err, ErrLostUpdates) tells that at least one of those listed comes
// from counting without -atomic. What is left out of p is a contradiction, too.
//
// A lost update can also pass for an abandoned activation, so no error does
// not prove that none was lost.
func (p *Profile) Check() error {
	var all []error
	for _, d := range p.Damaged {
		all = append(all, errors.New(d.String()))
	}
	functions := 0
	for _, f := range p.Functions() {
		errs := f.check()
		if len(errs) > 0 {
			functions++
		}
		all = append(all, errs...)
	}
	if len(all) == 0 {
		return nil
	}
	total := fmt.Errorf("%d contradictions in the counts of %d functions", len(all), functions)
	return errors.Join(append(all[:min(len(all), maxCheckErrors)], total)...)
}

// Check is [Profile.Check] for one function; it lists all contradictions.
func (f *Function) Check() error { return errors.Join(f.check()...) }

func (f *Function) check() []error {
	if f.Declined() {
		return nil
	}
	for i := range f.Paths {
		// The sums below mean nothing if a path is none.
		if err := f.checkPath(&f.Paths[i]); err != nil {
			return []error{err}
		}
	}
	if f.Certainty() < HowOften {
		return nil
	}
	flow := f.flows()
	errs := f.checkBlocks(flow)

	abandoned := int64(0)
	for id, b := range flow {
		if id == f.Table.Entry {
			abandoned += f.Entries - b.entered
		}
		abandoned += b.back - b.resumed + b.stopped
	}
	if abandoned != f.Abandoned {
		errs = append(errs, fmt.Errorf("%s: abandoned %d, but %d activations ended before or between path ends",
			f.Table.Name, f.Abandoned, abandoned))
	}
	return errs
}

// checkPath reports a path that is not a walk through the graph from entry
// or a loop header to exit or a back edge.
func (f *Function) checkPath(p *Path) error {
	bad := func(what string) error {
		return fmt.Errorf("%s: path %d: %s", f.Table.Name, p.ID, what)
	}
	if p.Count <= 0 || len(p.Edges) == 0 {
		return bad(fmt.Sprintf("count %d, %d edges", p.Count, len(p.Edges)))
	}
	if !p.Loop && p.Start != f.Table.Entry {
		return bad(fmt.Sprintf("starts at block %d, want entry %d", p.Start, f.Table.Entry))
	}
	at := p.Start
	for i, id := range p.Edges {
		e := f.Table.Edges[id]
		if e.From != at {
			return bad(fmt.Sprintf("edge %d leaves block %d, want %d", id, e.From, at))
		}
		if e.Back && i < len(p.Edges)-1 {
			return bad(fmt.Sprintf("back edge %d in the middle", id))
		}
		at = e.To
	}
	if at != f.Table.Exit && !f.EndsInLoop(p) {
		return bad(fmt.Sprintf("ends at block %d, want exit or a back edge", at))
	}
	if f.Infeasible(p.Edges) {
		return bad("executed, and its conditions contradict each other")
	}
	return nil
}

// blockFlow is the flow through one block.
type blockFlow struct {
	in      int64 // executions of edges into it that are not back edges
	back    int64 // executions of back edges into it
	out     int64 // executions of edges out of it, back edges included
	entered int64 // paths that start at it as function entry
	resumed int64 // paths that start at it after a back edge
	stopped int64 // paths abandoned in it
}

// flows sums up edge counts and path starts for each block. It takes edges
// from f.Edges, not from the paths, so that the two are held against each other.
func (f *Function) flows() []blockFlow {
	flow := make([]blockFlow, len(f.Table.Blocks))
	for id, e := range f.Table.Edges {
		n := f.Edges[id]
		flow[e.From].out += n
		if e.Back {
			flow[e.To].back += n
		} else {
			flow[e.To].in += n
		}
	}
	for _, p := range f.Paths {
		if p.Loop {
			flow[p.Start].resumed += p.Count
		} else {
			flow[p.Start].entered += p.Count
		}
	}
	for _, p := range f.Partials {
		flow[p.Block].stopped += p.Count
		if p.Loop {
			flow[p.Start].resumed += p.Count
		} else {
			flow[p.Start].entered += p.Count
		}
	}
	return flow
}

func (f *Function) checkBlocks(flow []blockFlow) []error {
	var errs []error
	fail := func(id int, format string, args ...any) {
		where := fmt.Sprintf("%s: block %d (%s:%d): ", f.Table.Name, id, f.Table.File, f.Table.Blocks[id].Line)
		errs = append(errs, fmt.Errorf("%s%w", where, fmt.Errorf(format, args...)))
	}
	for id, b := range flow {
		executions := b.in + b.back
		if id == f.Table.Entry {
			executions += f.Entries
			if f.Entries < b.entered {
				fail(id, "entered %d times, but %d paths start there: %w", f.Entries, b.entered, ErrLostUpdates)
			}
		}
		if b.back < b.resumed {
			fail(id, "back edges reached it %d times, but %d paths start there: %w", b.back, b.resumed, ErrLostUpdates)
		}
		if f.Blocks[id] != executions {
			fail(id, "count %d, but it was reached %d times", f.Blocks[id], executions)
		}
		if in := b.in + b.entered + b.resumed; id != f.Table.Exit && in != b.out+b.stopped {
			fail(id, "%d paths come in, %d go out and %d were abandoned", in, b.out, b.stopped)
		}
	}
	return errs
}
