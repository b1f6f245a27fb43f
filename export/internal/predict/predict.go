// Package predict says what an edge profile would say about paths: section 5 of Ball & Larus, "Efficient path
// profiling" (MICRO-29, 1996), table 3. "pp followed the executed path starting at function entry or loop head and
// used the most frequently executed edge out of each block to predict the next step". The paper counts the paths that
// are predicted entirely, and so does Predicted. Mispredictions asks what matters to someone who tunes a function:
// whether the path that the edges call hottest is the hottest. There the start is predicted, too: it is the one whose
// path has most flow if branches do not depend on each other.
package predict

import (
	"cmp"
	"slices"

	"github.com/goprofinstr/goprofinstr/export/profile"
)

// A Misprediction is a function whose edge profile leads to another path than the hottest one.
type Misprediction struct {
	Function *profile.Function
	Hottest  *profile.Path // of the highest flow
	// Predicted is what the edges say. Its Count is what was executed, which may be 0, and its ID is only set if that is
	// not.
	Predicted profile.Path
}

// Lost is the flow between what is hottest and what the edges take for it.
func (m *Misprediction) Lost() int64 { return m.Hottest.Flow() - m.Predicted.Flow() }

// Mispredictions returns the functions of p whose hottest path an edge profile does not tell, those first in which it
// misses most flow.
func Mispredictions(p *profile.Profile) []Misprediction {
	var list []Misprediction
	for _, f := range p.Functions() {
		if m, ok := (function{f}).misprediction(); ok {
			list = append(list, m)
		}
	}
	slices.SortStableFunc(list, func(a, b Misprediction) int { return cmp.Compare(b.Lost(), a.Lost()) })
	return list
}

// Predicted returns how many of the path executions of p an edge profile predicts entirely, and how many there are.
// Where edges are executed equally often the path is given the benefit of the doubt, as in the paper.
func Predicted(p *profile.Profile) (right, all int64) {
	for _, f := range p.Functions() {
		if len(f.Paths) == 0 {
			continue
		}
		most := function{f}.mostOut()
		for i := range f.Paths {
			path := &f.Paths[i]
			all += path.Count
			if !slices.ContainsFunc(path.Edges, func(id int) bool { return f.Edges[id] < most[f.Table.Edges[id].From] }) {
				right += path.Count
			}
		}
	}
	return right, all
}

// A function is one whose paths are predicted.
type function struct{ *profile.Function }

// mostOut returns the executions of the most frequent edge out of each block.
func (f function) mostOut() []int64 {
	most := make([]int64, len(f.Table.Blocks))
	for id, e := range f.Table.Edges {
		most[e.From] = max(most[e.From], f.Edges[id])
	}
	return most
}

func (f function) misprediction() (m Misprediction, ok bool) {
	m.Function = f.Function
	for i := range f.Paths {
		if m.Hottest == nil || f.Paths[i].Flow() > m.Hottest.Flow() {
			m.Hottest = &f.Paths[i]
		}
	}
	if m.Hottest == nil {
		return m, false
	}
	starts := f.starts()
	branch := f.BranchEdges()
	most := -1.0
	for _, path := range f.predict(starts, branch, m.Hottest) {
		if flow := f.expected(starts, &path); flow > most {
			m.Predicted, most = path, flow
		}
	}
	// Another path that is as hot is no mistake.
	return m, most >= 0 && m.Lost() > 0
}

// start is where paths start.
type start struct {
	block int
	loop  bool
}

// starts returns how often paths start at the entry and at the loop headers, as far as edges tell.
func (f function) starts() map[start]int64 {
	n := make(map[start]int64)
	if f.Entries > 0 {
		n[start{f.Table.Entry, false}] = f.Entries
	}
	for id, e := range f.Table.Edges {
		if e.Back && f.Edges[id] > 0 {
			n[start{e.To, true}] += f.Edges[id]
		}
	}
	return n
}

// predict returns the path that follows the most frequent edges from each start. The edges of known are preferred to
// others that are as frequent.
func (f function) predict(starts map[start]int64, branch []bool, known *profile.Path) []profile.Path {
	likely := f.likelyEdges(known)
	var list []profile.Path
	for s := range starts {
		path := profile.Path{Start: s.block, Loop: s.loop, Edges: f.follow(likely, s.block)}
		for _, id := range path.Edges {
			if branch[id] {
				path.Branches++
			}
		}
		for i := range f.Paths {
			if p := &f.Paths[i]; p.Start == s.block && p.Loop == s.loop && slices.Equal(p.Edges, path.Edges) {
				path = *p
			}
		}
		list = append(list, path)
	}
	slices.SortFunc(list, func(a, b profile.Path) int { // by what cannot be the same: where several are as hot, the first is taken
		return cmp.Or(cmp.Compare(a.Start, b.Start), slices.Compare(a.Edges, b.Edges))
	})
	return list
}

// likelyEdges returns the most frequently executed edge out of each block, of several one of known or else the first;
// -1 if there is none.
func (f function) likelyEdges(known *profile.Path) []int {
	likely := make([]int, len(f.Table.Blocks))
	for i := range likely {
		likely[i] = -1
	}
	for id, e := range f.Table.Edges {
		l := likely[e.From]
		if l < 0 || f.Edges[id] > f.Edges[l] || f.Edges[id] == f.Edges[l] && slices.Contains(known.Edges, id) {
			likely[e.From] = id
		}
	}
	return likely
}

// follow returns the likely edges from a block to the exit or a back edge.
func (f function) follow(likely []int, block int) (edges []int) {
	for block != f.Table.Exit && likely[block] >= 0 {
		id := likely[block]
		edges = append(edges, id)
		if f.Table.Edges[id].Back {
			break
		}
		block = f.Table.Edges[id].To
	}
	return edges
}

// expected is the flow that a path would have if its branches did not depend on each other.
func (f function) expected(starts map[start]int64, p *profile.Path) float64 {
	out := make([]int64, len(f.Table.Blocks))
	for id, e := range f.Table.Edges {
		out[e.From] += f.Edges[id]
	}
	n := float64(starts[start{p.Start, p.Loop}])
	for _, id := range p.Edges {
		n *= float64(f.Edges[id]) / float64(max(1, out[f.Table.Edges[id].From]))
	}
	return n * float64(p.Branches)
}
