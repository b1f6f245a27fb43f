package rewrite

import (
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/goprofinstr/goprofinstr/rt"
	"github.com/goprofinstr/goprofinstr/sampler"
	"github.com/goprofinstr/goprofinstr/ssacfg"
	"github.com/goprofinstr/goprofinstr/ssacfg/pathnum"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// Sampling says how paths are sampled. The zero Sampling says that they are not.
type Sampling struct {
	Policy sampler.Policy
	Budget uint64        // share of CPU time, in millionths
	Period time.Duration // CPU time between ticks
	Native bool          // probes are markers, which are patched away after linking
	Frames uint64        // the most new frames of a calling context that a sample may find; 0 if no contexts are found
}

// On reports whether paths are sampled.
func (s Sampling) On() bool { return s.Policy.Samples > 0 }

// probe returns the probe at the end of a path: PEP 3.2. In place of the count it has a test whether there is a burst.
func (em *emitter) probe(p *plan, op pathnum.Op) string {
	if em.native {
		site, number := em.marker(p, op)
		if number == "" {
			return site + ".One=1"
		}
		return site + ".R=" + number
	}
	return fmt.Sprintf("if %s.Burst.On!=0{%s.Sample%s}", em.rt, em.rt, em.path(p, op))
}

// marks reports whether activations of a function have a mark: those that may last, if samples have contexts. They cost 1.8 points of time with native probes.
func (em *emitter) marks(p *plan) bool {
	return em.contexts && !p.fn.Brief
}

// mark returns what the mark of an activation holds at first.
func (pl *planner) mark(fn *ssacfg.Func) uint64 {
	file := filepath.Base(pl.fset.File(fn.File.Pos()).Name())
	return rt.Mark(file, uint64(pl.fset.PositionFor(fn.Node.Pos(), false).Line))
}

// path returns the end of the name of a function of the runtime and its arguments, which say what path it is that ends.
func (em *emitter) path(p *plan, op pathnum.Op) string {
	name, mark := "", ""
	if em.marks(p) {
		name, mark = "Mark", ",&"+em.mark
	}
	if p.storage == table.StorageHash {
		return fmt.Sprintf("Path%s(&%s[%d],%s%s)", name, em.hashes, p.hash, em.number(p, op), mark)
	}
	if op.Count == pathnum.CountRegister {
		return fmt.Sprintf("%s(%s.Pair(&%s,%s)%s)", name, em.rt, em.counter(2*p.first), em.number(p, op), mark)
	}
	return fmt.Sprintf("%s(&%s%s)", name, em.counter(2*(p.first+op.Inc)), mark)
}

// marker returns the marker at the end of a path, and the number that it keeps if that is not the whole of it: what it stands for and the number
// add up to the path, and only what the path register has is computed.
func (em *emitter) marker(p *plan, op pathnum.Op) (site, number string) {
	k := p.first + p.marker(op)
	switch {
	case p.storage == table.StorageHash:
		return fmt.Sprintf("%sH[%d]", em.sites, p.hash), em.number(p, op)
	case op.Count != pathnum.CountRegister:
		return fmt.Sprintf("%s[%d]", em.sites, k), ""
	case p.marker(op) == op.Inc:
		return fmt.Sprintf("%s[%d]", em.sites, k), em.r(p)
	default: // the register has more than the path's number
		return fmt.Sprintf("%s[%d]", em.sites, k), em.number(p, op)
	}
}

// marker returns the path that a marker in the array stands for when it stores 0.
func (p *plan) marker(op pathnum.Op) uint64 {
	if op.Inc < p.fn.Numbering.Values.NumPaths {
		return op.Inc
	}
	return 0
}

// ends returns what the markers that have the path register end: from there on there is one way to the end of a path, or another probe
// would be needed.
func (p *plan) ends() (ends []table.End) {
	n := p.fn.Numbering
	next := make([]int, n.Graph.Blocks) // an edge out of each block
	for i, e := range n.Graph.Edges {
		next[e.From] = i
	}
	for i, op := range n.Ops {
		if op.Count != pathnum.CountRegister {
			continue
		}
		end := table.End{Marker: p.marker(op), Edge: i}
		for !n.Cut[end.Edge] && n.Graph.Edges[end.Edge].To != n.Graph.Exit {
			end.Edge = next[n.Graph.Edges[end.Edge].To]
		}
		if p.storage == table.StorageHash {
			end.Marker = 0
		}
		if !slices.Contains(ends, end) {
			ends = append(ends, end)
		}
	}
	return ends
}
