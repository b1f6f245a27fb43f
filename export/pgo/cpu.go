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
	Raised   int     // edges that counts have, too, but with less weight
	Factor   float64 // executions for which one unit of the profile stands
}

// addCPU adds to edges those of a CPU profile that counts cannot tell of. It returns nil if the profile has none.
//
// A unit of the one is an execution, and of the other a sample in the callee or its CPU time. No measurement tells which
// of the two is worth more. But the compiler asks one thing of a profile only: which edges are hot, those that make up
// 99% of the weight. So the units are made one by the lightest hot edge of each, which weigh the same then. Thus all that
// is hot in either is hot in both together, however many samples there are, and however much of the program is
// instrumented. Suppose that 3% of the time is in what is counted, and weights were as time is. Then the 1% that the
// compiler leaves out could be a third of all counts.
//
// An edge that both have gets the greater weight. There are two reasons to inline a call. It is executed often, or its
// callee runs for long and could be compiled for what it is given.
func addCPU(edges, cpu map[pgofile.Edge]float64, known instrumented) *CPU {
	if len(cpu) == 0 {
		return nil
	}
	cpu = maps.Clone(cpu)
	maps.DeleteFunc(cpu, func(e pgofile.Edge, _ float64) bool { return edges[e] == 0 && known.tells(e) }) // it was never executed
	c := &CPU{Factor: 1}
	if light := lightestHot(cpu); light > 0 {
		c.Factor = lightestHot(edges) / light
	}
	for e, units := range cpu {
		if edges[e] == 0 {
			c.Edges++
		} else if edges[e] < c.Factor*units {
			c.Raised++
		}
		edges[e] = max(edges[e], c.Factor*units)
	}
	return c
}

// lightestHot returns the weight of the lightest edge that the compiler takes for hot (hotNodesFromCDF in
// cmd/compile/internal/inline).
func lightestHot(edges map[pgofile.Edge]float64) (weight float64) {
	total, so := 0.0, 0.0
	weights := slices.Sorted(maps.Values(edges)) // sums of floats depend on the order
	for _, weight := range weights {
		total += weight
	}
	for _, weight = range slices.Backward(weights) {
		if so += weight; so > hotShare*total {
			break
		}
	}
	return weight
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

// tells reports whether counts tell how often a call was executed. They do for a function that the source names,
// called in an instrumented function, and for others where their targets are counted. Other calls are the
// business of a CPU profile. Among them are calls of interface methods and function values in instrumented
// functions, if their targets were not counted.
func (all instrumented) tells(e pgofile.Edge) bool {
	of := all[withoutTypes(e.Caller)]
	return of != nil && (of.unsure || of.callees[withoutTypes(e.Callee)])
}

// withoutTypes returns a symbol with [...] for the type arguments, which path tables do not have of callers.
func withoutTypes(symbol string) string {
	of, _ := generic(table.Callee{Name: symbol})
	return of.Name
}
