package pgo

import (
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/pgofile"
	"github.com/goprofinstr/goprofinstr/sampler/pcct"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// goexit is outermost on the stacks of all goroutines. It calls nothing that the compiler could inline, and CPU profiles
// are without it.
const goexit = "runtime.goexit"

// timedEdges returns the calls that are innermost on the stacks of ticks, with the CPU time of these stacks in ns. The
// compiler would read the same off a CPU profile of these ticks. Functions that are not instrumented are among them, and
// so are inlined ones. Symbols are the linker's.
func timedEdges(p *profile.Profile) map[pgofile.Edge]int64 {
	edges := make(map[pgofile.Edge]int64)
	for _, c := range p.Contexts {
		if c.Time <= 0 {
			continue
		}
		var caller []pgofile.Frame
		if c.Parent != nil {
			caller = frames(c.Parent.Frames)
		}
		for _, e := range pgofile.Edges(frames(c.Frames), caller) {
			if e.Caller != goexit {
				edges[e] = sum(edges[e], c.Time)
			}
		}
	}
	return edges
}

// frames returns the frames of a location as package pgofile has them.
func frames(location []pcct.Frame) (list []pgofile.Frame) {
	for _, f := range location {
		list = append(list, pgofile.Frame{Function: f.Name, Line: int64(f.Line), Start: int64(f.StartLine)})
	}
	return list
}

// addTimed adds the CPU time of calls on the stacks of a build, as calls of the latest build. Those in functions that are
// not there any more are left out; they are no part of what is lost, which is of counts.
func (t *tally) addTimed(p *profile.Profile, m *match) {
	for e, ns := range timedEdges(p) {
		if now, ok := m.move(e); ok {
			t.timed[now] = sum(t.timed[now], ns)
		}
	}
}

// move returns where an edge of the build is in the latest build. What is not instrumented has no tables that would tell,
// and stays where it is; what it calls may have another name now.
func (m *match) move(e pgofile.Edge) (pgofile.Edge, bool) {
	of, instrumented := m.symbols[withoutTypes(e.Caller)]
	if !instrumented {
		e.Callee = m.renamed(e.Callee)
		return e, true
	}
	now := m.functions[of]
	if now == nil {
		return e, false
	}
	from, to, ok := now.named(e)
	if !ok {
		to, ok = shifted(site{offset: e.Offset, unsure: true}, now.to, now.endsLater)
	}
	if to.callee != from.callee {
		e.Callee = symbol(to.callee, call{caller: now.name, main: now.main})
	} else {
		e.Callee = m.renamed(e.Callee)
	}
	e.Caller, e.Offset = m.renamed(e.Caller), to.offset
	return e, ok
}

// renamed returns the symbol that a function of the build has in the latest build; its own if it has no counterpart. Test
// binaries have the functions of package main by its import path, and programs have not.
func (m *match) renamed(name string) string {
	now := m.functions[m.symbols[withoutTypes(name)]]
	if now == nil {
		return name
	}
	_, args := generic(table.Callee{Name: name})
	return strings.Replace(symbol(now.name, call{caller: now.name, main: now.main}), "[...]", args, 1)
}

// named returns the site of an edge, and where it is now, if the source names what is called.
func (now *counterpart) named(e pgofile.Edge) (from, to site, ok bool) {
	of := withoutTypes(e.Callee)
	for s, at := range now.to {
		callee, _ := generic(s.callee)
		if s.unsure || s.offset != e.Offset || symbol(callee, call{caller: now.was, main: now.main}) != of {
			continue
		}
		if !ok || compareSites(s, from) < 0 { // of several instances one, and always the same
			from, to, ok = s, at, true
		}
	}
	return from, to, ok
}

// timed returns the calls on stacks by their CPU time, each service's times its weight.
func (r *Result) timed(tallies map[string]*tally) map[pgofile.Edge]float64 {
	edges := make(map[pgofile.Edge]float64)
	for _, s := range r.Services {
		for e, ns := range tallies[s.Name].timed {
			if s.Weight > 0 {
				edges[e] += s.Weight * float64(ns)
			}
		}
	}
	return edges
}

// sampled returns the edges of a CPU profile by their samples.
func sampled(list []pgofile.Edge) map[pgofile.Edge]float64 {
	edges := make(map[pgofile.Edge]float64)
	for _, e := range slices.SortedFunc(slices.Values(list), compareEdges) { // sums of floats depend on the order
		edges[unweighted(e)] += float64(e.Weight)
	}
	return edges
}
