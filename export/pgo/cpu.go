package pgo

import (
	"maps"
	"slices"

	"github.com/goprofinstr/goprofinstr/export/profile"
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
// have tell how many executions there were to a sample, all together. That is a ratio of sums, and not a mean of
// ratios: an edge with one sample would weigh as much as one with thousands. How long callees run by themselves it
// cannot know; where they run longer than those of counted calls, their edges get more weight than they have
// executions, as in every CPU profile. Without any common edge both profiles get equal weight.
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

// instrumented are the functions whose calls are counted.
type instrumented map[string]*counted

// counted is a function in them.
type counted struct {
	callees map[string]bool // symbols of what the source says that it calls, of generic functions with [...]
	unsure  bool            // calls of what is not known before are counted, too
}

// newInstrumented returns the functions of the latest build, by their symbols.
func newInstrumented(latest *profile.Profile) instrumented {
	all := make(instrumented)
	for _, pkg := range latest.Packages {
		for _, f := range pkg.Functions {
			if f.Declined() {
				continue
			}
			c := call{caller: nameOf(pkg, f), main: pkg.Main}
			of := &counted{callees: make(map[string]bool)}
			for _, s := range sitesOf(pkg, f) {
				of.unsure = of.unsure || s.unsure
				callee, _ := generic(s.callee)
				of.callees[symbol(callee, c)] = true
			}
			all[symbol(c.caller, c)] = of
		}
	}
	return all
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
