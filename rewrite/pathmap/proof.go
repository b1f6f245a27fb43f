package pathmap

import (
	"fmt"
	"slices"

	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// A Proof says what machine code tells of a function: its own, and that of all calls of it which were inlined.
type Proof struct {
	F       *Func
	Targets []*Target
	Missing []int // edges of range loops that no machine code takes

	open []alternatives
	lost map[int]bool // blocks that control has come from or to by a way that is none of the source
}

// alternatives are ways of which nothing tells which was taken.
type alternatives struct {
	doubt *Doubt   // nil if these are whole ways through a call that was inlined
	ways  [][]int  // edges of the source
	pairs [][2]int // of ways that nothing tells apart
}

// Prove finds what is in doubt of a function in all of its targets.
func Prove(f *Func, targets []*Target) *Proof {
	p := &Proof{F: f, Targets: targets, lost: make(map[int]bool)}
	for e := range f.edges {
		if f.ranges(e) && !slices.ContainsFunc(targets, func(t *Target) bool { return t.Taken[e] }) {
			p.Missing = append(p.Missing, e)
		}
	}
	for _, t := range targets {
		for _, d := range t.Doubts {
			known := func(pair [2]int) bool { return t.facts.apart(d.Ways[pair[0]], d.Ways[pair[1]]) }
			if pairs := slices.DeleteFunc(t.Untold(d), known); len(pairs) > 0 {
				p.open = append(p.open, alternatives{d, d.Ways, pairs})
			}
		}
		if len(t.Unseen) > 1 && len(t.UnseenLooks) == 0 {
			a := alternatives{ways: t.Unseen}
			for k := range t.Unseen {
				for l := range k {
					a.pairs = append(a.pairs, [2]int{k, l})
				}
			}
			p.open = append(p.open, a)
		}
	}
	return p
}

// Open adds a doubt that looks have not decided where control came by it.
func (p *Proof) Open(d *Doubt) {
	a := alternatives{doubt: d, ways: d.Ways}
	for k := range d.Ways {
		for l := range k {
			a.pairs = append(a.pairs, [2]int{k, l})
		}
	}
	p.open = append(p.open, a)
}

// Lose notes that control has come from one block to another by a way that is none of the source. Which path that was is not
// known.
func (p *Proof) Lose(from, to int) { p.lost[from], p.lost[to] = true, true }

// ranges reports whether an edge is one of a range loop's header. The compiler makes one call of some such loops, which clear
// a slice or a map.
func (f *Func) ranges(e int) bool {
	return slices.ContainsFunc(f.out[f.edges[e].from], func(o int) bool { return f.Graph.Edges[o].Kind == table.RangeDone })
}

// Told reports whether the machine code tells how often a path is executed.
func (p *Proof) Told(path []int) bool {
	if !p.Mapped(path) {
		return false
	}
	for _, a := range p.open {
		if a.doubt != nil && a.doubt.On(p.F, path) || a.doubt == nil && begins(a.ways, path) {
			return false
		}
	}
	return true
}

// Mapped reports whether machine code has all blocks of a path.
func (p *Proof) Mapped(path []int) bool {
	if p.unmapped() != "" {
		return false
	}
	for _, q := range path {
		from, to := p.F.edges[q].from, p.F.edges[q].to
		// The other edges of a block may have been decoded in place of the one that is missing.
		if p.lost[from] || p.lost[to] || slices.ContainsFunc(p.Missing, func(e int) bool { return p.F.edges[e].from == from }) {
			return false
		}
	}
	return true
}

// begins reports whether one of the ways begins with a path.
func begins(ways [][]int, path []int) bool {
	return slices.ContainsFunc(ways, func(w []int) bool { return len(w) >= len(path) && slices.Equal(w[:len(path)], path) })
}

// Unseen reports whether a path may leave no evidence in one of the calls that were inlined. It is the only one there: how often
// it is executed follows from how often the block is that has the call.
func (p *Proof) Unseen(path []int) bool {
	return slices.ContainsFunc(p.Targets, func(t *Target) bool { return begins(t.Unseen, path) })
}

// Whole reports whether all paths are told.
func (p *Proof) Whole() bool {
	return p.Failed() == "" && len(p.Missing) == 0 && len(p.open) == 0 && len(p.lost) == 0
}

// Failed returns why the machine code tells nothing, "" if it does.
func (p *Proof) Failed() string {
	if len(p.lost) > 0 {
		return "control came by ways that are none of the source"
	}
	return p.unmapped()
}

func (p *Proof) unmapped() string {
	if len(p.Targets) == 0 {
		return "no machine code is known to be of it"
	}
	for _, t := range p.Targets {
		if t.Failed != "" {
			return fmt.Sprintf("%s: %s", t.M.Name, t.Failed)
		}
	}
	return ""
}

// mostMarkers is how often marked edges may be executed for each path end of a function.
const mostMarkers = 0.01

// A Verdict is how the paths of a function can be counted without code in it that counts. They are counted by what Target.Plan
// says, if the edges that are listed have markers in the source. Markers are numbers of edges of the graph; mostly there are
// none.
type Verdict struct {
	Markers  []int
	Register string // why the function keeps its register, "" if it does not
}

// Verdict decides, given how often each edge of the graph is executed. Without counts it goes by what is expected of the source:
// loops repeat, branches are even.
func (p *Proof) Verdict(counts []int64) Verdict {
	cost := func(e int) float64 { return p.F.Graph.Edges[e].Weight }
	if counts != nil {
		expected := cost
		cost = func(e int) float64 { return float64(counts[e]) + expected(e)/1e6 } // of those that are not executed, the cheapest
	}
	v := Verdict{Markers: p.Markers(cost)}
	marked, ends := 0.0, 0.0
	for _, e := range v.Markers {
		marked += cost(e)
	}
	for e := range p.F.edges {
		if p.F.Numbering.Cut[e] || p.F.edges[e].to == p.F.blocks-1 {
			ends += cost(e)
		}
	}
	switch v.Register = p.Failed(); {
	case v.Register != "":
		v.Markers = nil
	case marked > mostMarkers*ends:
		v = Verdict{Register: fmt.Sprintf("markers on %d edges would be executed too often", len(v.Markers))}
	}
	return v
}

// Markers returns edges of the source that have to have a marker, so that all paths are told. These are the edges that no
// machine code takes, and some of those in which alternatives differ. Markers takes those that cost least, by how often an
// edge is expected to be executed.
func (p *Proof) Markers(cost func(edge int) float64) []int {
	markers := slices.Clone(p.Missing)
	pairs := p.pairs(markers)
	for len(pairs) > 0 {
		best, least := -1, 0.0
		gain := make(map[int]int)
		for _, d := range pairs {
			for _, e := range d {
				gain[e]++
			}
		}
		for e := range p.F.edges {
			if n := gain[e]; n > 0 && (best < 0 || cost(e)/float64(n) < least) {
				best, least = e, cost(e)/float64(n)
			}
		}
		if best < 0 {
			break // ways that are the same
		}
		markers = append(markers, best)
		pairs = slices.DeleteFunc(pairs, func(d []int) bool { return slices.Contains(d, best) })
	}
	slices.Sort(markers)
	return markers
}

// pairs returns, for each two ways that no mark tells apart, the edges in which they differ.
func (p *Proof) pairs(markers []int) (list [][]int) {
	for _, a := range p.open {
		for _, k := range a.pairs {
			d := difference(a.ways[k[0]], a.ways[k[1]])
			if len(d) > 0 && !slices.ContainsFunc(d, func(e int) bool { return slices.Contains(markers, e) }) {
				list = append(list, d)
			}
		}
	}
	return list
}

// difference returns the edges that two ways have not equally often.
func difference(v, w []int) (list []int) {
	count := make(map[int]int)
	for _, e := range v {
		count[e]++
	}
	for _, e := range w {
		count[e]--
	}
	for e, n := range count {
		if n != 0 {
			list = append(list, e)
		}
	}
	slices.Sort(list)
	return list
}

// Edges says of each edge of the source whether the machine code tells how often it is taken.
func (p *Proof) Edges() (told []bool) {
	told = make([]bool, len(p.F.edges))
	if p.unmapped() != "" {
		return told
	}
	for e := range told {
		told[e] = true
	}
	for _, m := range p.Missing {
		for _, e := range p.F.out[p.F.edges[m].from] {
			told[e] = false
		}
	}
	for _, pair := range p.pairs(nil) {
		for _, e := range pair {
			told[e] = false
		}
	}
	return told
}
