package pgo

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/internal/pgofile"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// A graph has calls of functions. Generic functions are there once as the source has them, F[...], but the compiler
// makes several of them. The names of these, such as F[go.shape.int], are those of what is called. How often each was
// executed nothing has counted; so they share the calls in them as they do the calls of them.
type graph struct {
	calls     []weighed
	instances map[table.Callee]map[string]float64 // calls of each instance, by F[...] and the instance's type arguments
}

// A call is one in the source, as the compiler tells calls apart.
type call struct {
	caller, callee table.Callee // of generic functions, F[...] calls G[$0]
	main           bool         // the caller is in a package main
	offset         int          // of the line, from the one where the caller starts

	target string // symbol of the callee, if it was not known before the call
}

// weighed is a call, and how often it was executed.
type weighed struct {
	call
	weight float64
}

// compareCalls orders calls.
func compareCalls(a, b call) int {
	return cmp.Or(compareNames(a.caller, b.caller), cmp.Compare(a.offset, b.offset), compareNames(a.callee, b.callee),
		cmp.Compare(a.target, b.target))
}

func compareNames(a, b table.Callee) int {
	return cmp.Or(cmp.Compare(a.Package, b.Package), cmp.Compare(a.Name, b.Name))
}

// newGraph returns the graph of calls, of which equal ones add up.
func newGraph(calls map[call]float64) *graph {
	g := &graph{instances: make(map[table.Callee]map[string]float64)}
	for _, c := range slices.SortedFunc(maps.Keys(calls), compareCalls) { // sums of floats depend on the order
		g.calls = append(g.calls, weighed{c, calls[c]})
	}
	g.findInstances()
	return g
}

// genericDepth is how deep generic functions may call each other with their own type arguments for their instances to
// be found.
const genericDepth = 8

// findInstances sets g.instances: first those that are called with types, then those that these call with theirs, and
// so on.
func (g *graph) findInstances() {
	for range genericDepth {
		next := make(map[table.Callee]map[string]float64)
		for _, c := range g.calls {
			shares := g.shares(c.caller)
			for _, args := range slices.Sorted(maps.Keys(shares)) {
				callee := instantiate(c.callee, args)
				of, calleeArgs := generic(callee)
				if calleeArgs == "" {
					continue
				}
				if next[of] == nil {
					next[of] = make(map[string]float64)
				}
				next[of][calleeArgs] += shares[args] * c.weight
			}
		}
		g.instances = next
	}
}

// shares returns the shares of the instances of a function in what it does, by their type arguments. One that is not
// generic has one, "".
func (g *graph) shares(f table.Callee) map[string]float64 {
	if g.instances[f] == nil { // a method may be called func1
		f.Name = pgofile.Outermost(f.Name)
	}
	if !strings.Contains(f.Name, "[...]") {
		return map[string]float64{"": 1}
	}
	total := 0.0
	for _, args := range slices.Sorted(maps.Keys(g.instances[f])) {
		total += g.instances[f][args]
	}
	shares := make(map[string]float64)
	for args, n := range g.instances[f] {
		if n > 0 { // services may weigh nothing
			shares[args] = n / total
		}
	}
	return shares
}

// weights returns the calls as the compiler looks for them, in edges that have no weight themselves.
func (g *graph) weights() map[pgofile.Edge]float64 {
	weights := make(map[pgofile.Edge]float64)
	for _, c := range g.calls {
		shares := g.shares(c.caller)
		for _, args := range slices.Sorted(maps.Keys(shares)) {
			caller := c.caller
			caller.Name = strings.Replace(caller.Name, "[...]", args, 1)
			e := pgofile.Edge{Caller: symbol(caller, c.call), Callee: c.target, Offset: c.offset}
			if e.Callee == "" {
				e.Callee = symbol(instantiate(c.callee, args), c.call)
			}
			weights[e] += shares[args] * c.weight
		}
	}
	return weights
}

// symbol returns the name that the linker has for the caller or the callee of c.
func symbol(f table.Callee, c call) string {
	if c.main && f.Package == c.caller.Package {
		return "main." + f.Name
	}
	return pgofile.EscapePath(f.Package) + "." + f.Name
}

// mostWeight is what the weights of all edges add up to at most: the compiler has the sum in 64 bits.
const mostWeight = 1 << 62

// rounded returns edges with whole weights. Where these are more than a profile can have, all are divided.
func rounded(weights map[pgofile.Edge]float64) []pgofile.Edge { return inUnits(weights, 1) }

// enlarged returns edges with whole weights as rounded does. Where one weighs less than 1, all are multiplied, so that it is not
// left out.
func enlarged(weights map[pgofile.Edge]float64) []pgofile.Edge {
	unit := 1.0
	for _, weight := range weights {
		if weight > 0 {
			unit = min(unit, weight)
		}
	}
	return inUnits(weights, unit)
}

// inUnits returns edges with weights in a unit, or in the least one that a profile has room for.
func inUnits(weights map[pgofile.Edge]float64, unit float64) (edges []pgofile.Edge) {
	total := 0.0
	for _, weight := range slices.Sorted(maps.Values(weights)) {
		total += weight
	}
	unit = max(unit, total/mostWeight)
	for e, weight := range weights {
		if e.Weight = int64(weight/unit + 0.5); e.Weight > 0 {
			edges = append(edges, e)
		}
	}
	return edges
}
