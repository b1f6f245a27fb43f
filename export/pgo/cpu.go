package pgo

import (
	"maps"
	"slices"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/pgofile"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// CPU says what a CPU profile has added, or what stacks have.
type CPU struct {
	Contexts bool    // it is the calling contexts of sampled runs, whose unit is a nanosecond, and no CPU profile
	Edges    int     // that were added
	Told     int     // edges of the profile that counts tell of: their sum says what a unit is worth
	Factor   float64 // executions for which one unit of the profile stands
	Weight   float64 // of the edges that were added
}

// addCPU adds to edges those of a CPU profile that counts cannot tell of. It returns nil if the profile has none.
//
// A unit of the one is an execution, and of the other a sample in the callee or its CPU time, so they are made one. Of the
// calls that counts tell of both know the sum: so many executions, and so many samples. What counts do not tell of gets
// as much weight for a sample, so that the two parts have weights as they have CPU time. That is a ratio of sums, and not
// a mean of ratios: an edge with one sample would weigh as much as one with thousands. All counts are in it, those that
// no sample has hit, too: what is short is hit by chance, and would make the ratio another one each time. How long
// callees run by themselves it cannot know; where they run longer than those of counted calls, their edges get more weight
// than they have executions, as in every CPU profile. Without any sample of what is counted both profiles get equal weight.
func addCPU(edges, cpu map[pgofile.Edge]float64, known instrumented) *CPU {
	if len(cpu) == 0 {
		return nil
	}
	c := new(CPU)
	order := slices.SortedFunc(maps.Keys(cpu), compareEdges) // sums of floats depend on it
	told, all := 0.0, 0.0
	for _, e := range order {
		if edges[e] > 0 || known.tells(e) {
			c.Told++
			told += cpu[e]
		}
		all += cpu[e]
	}
	counted := 0.0
	for _, e := range slices.SortedFunc(maps.Keys(edges), compareEdges) {
		counted += edges[e]
	}
	c.Factor = counted / all
	if c.Told > 0 {
		c.Factor = counted / told
	}
	for _, e := range order {
		if edges[e] == 0 && !known.tells(e) {
			edges[e] = c.Factor * cpu[e]
			c.Edges++
			c.Weight += edges[e]
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
