package rewrite

import (
	"slices"

	"github.com/goprofinstr/goprofinstr/ssacfg"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// Measured has the edges of functions with their executions in an earlier profile, by import path and name of the function.
// They decide where code goes and which edges have value 0 (PEP 3.4, smart path numbering) in functions that
// still have the same graph.
type Measured map[string]map[string]MeasuredFunction

// MeasuredFunction is what has been measured of one function.
type MeasuredFunction struct {
	Edges  []table.Edge
	Counts []int64 // indexed as Edges
}

// apply has the functions of a package numbered by what has been measured of them.
func (m Measured) apply(pkg string, funcs []*ssacfg.Func) {
	known := m[pkg]
	for _, fn := range funcs {
		if f, ok := known[pkg+"."+fn.Name]; ok && fn.Declined == "" && f.fits(fn.Graph) {
			fn.Reweigh(f.Counts)
		}
	}
}

// fits reports whether what was measured is of the same graph.
func (f MeasuredFunction) fits(g *ssacfg.Graph) bool {
	return slices.EqualFunc(f.Edges, g.Edges, func(a table.Edge, b *ssacfg.Edge) bool {
		return a.From == b.From.Index() && a.To == b.To.Index() && a.Kind == b.Kind
	})
}
