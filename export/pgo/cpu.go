package pgo

import (
	"maps"
	"slices"

	"github.com/goprofinstr/goprofinstr/internal/pgofile"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// CPU says what a CPU profile has added.
type CPU struct {
	Edges  int     // that were added
	Common int     // that counts have, too: these tell what a sample is worth
	Factor float64 // executions for which one unit of the profile stands
	Weight float64 // of the edges that were added
}

// addCPU adds to edges those of a CPU profile that counts cannot tell of.
//
// A unit of the one is an execution, and of the other a sample in the callee, so they are made one: the edges that both
// have tell how many executions there were to a sample, all together. That is a ratio of sums, as survey statistics
// estimate ratios, and not a mean of ratios: an edge with one sample would weigh as much as one with thousands. How long
// callees run by themselves it cannot know; where they run longer than those of counted calls, their edges get more
// weight than they have executions, as in every CPU profile. Without any common edge both profiles get equal weight.
func addCPU(edges map[pgofile.Edge]float64, cpu []pgofile.Edge, known instrumented) *CPU {
	c := new(CPU)
	cpu = slices.SortedFunc(slices.Values(cpu), compareEdges) // sums of floats depend on the order
	common, samples, counted, sampled := 0.0, 0.0, 0.0, 0.0
	for _, e := range cpu {
		n := edges[unweighted(e)]
		if n > 0 {
			c.Common++
			common, samples = common+n, samples+float64(e.Weight)
		}
		sampled += float64(e.Weight)
	}
	for _, e := range slices.SortedFunc(maps.Keys(edges), compareEdges) {
		counted += edges[e]
	}
	c.Factor = counted / sampled
	if c.Common > 0 {
		c.Factor = common / samples
	}
	for _, e := range cpu {
		if key := unweighted(e); edges[key] == 0 && !known.tells(e) {
			edges[key] = c.Factor * float64(e.Weight)
			c.Edges++
			c.Weight += edges[key]
		}
	}
	return c
}

// tells reports whether counts tell how often a call was executed: that of a function that the source names, in an
// instrumented function, and others where their targets are counted. What is in neither is the business of a CPU
// profile: calls of interface methods and function values in instrumented functions as well, if their targets were not
// counted.
func (all instrumented) tells(e pgofile.Edge) bool {
	of := all[withoutTypes(e.Caller)]
	return of != nil && (of.unsure || of.callees[withoutTypes(e.Callee)])
}

// withoutTypes returns a symbol with [...] for the type arguments, which path tables do not have of callers.
func withoutTypes(symbol string) string {
	of, _ := generic(table.Callee{Name: symbol})
	return of.Name
}
