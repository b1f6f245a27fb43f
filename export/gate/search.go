package gate

import (
	"cmp"
	"maps"
	"slices"

	"github.com/goprofinstr/goprofinstr/export/profile"
)

// A way is a path, or the beginning of one.
type way struct {
	start int // block
	loop  bool
	edges []int
}

// mostSteps bounds the search for one way.
const mostSteps = 1 << 14

// A search looks for a path through an edge that is wanted. It follows what was executed most often, as far as that leads there.
type search struct {
	*measured
	wanted  func(edge int) bool
	leads   []bool // whether a wanted edge can be taken behind each block
	steps   int
	edges   []int
	through int // length of edges up to the first wanted one
}

// find returns a path through a wanted edge, and how many of its edges lead up to it, that one included. If a start is wanted,
// the path may begin at one instead. It returns nil if there is none, as far as is known.
func (m *measured) find(wanted func(edge int) bool, start func(block int) bool) (w *way, through int) {
	s := &search{measured: m, wanted: wanted}
	s.findLeads()
	for i, block := range starts(m.Function) {
		s.edges, s.through, s.steps = nil, -1, 0
		if start != nil && start(block) {
			s.through = 0
		}
		if s.from(block, make(profile.Known)) {
			return &way{block, i > 0, s.edges}, s.through
		}
	}
	return nil, 0
}

func (s *search) findLeads() {
	s.leads = make([]bool, len(s.Table.Blocks))
	for changed := true; changed; {
		changed = false
		for id, e := range slices.Backward(s.Table.Edges) {
			if !s.leads[e.From] && (s.wanted(id) || !e.Back && s.leads[e.To]) {
				s.leads[e.From], changed = true, true
			}
		}
	}
}

// from looks for the rest of the path.
func (s *search) from(block int, known profile.Known) bool {
	if block == s.Table.Exit {
		return s.through >= 0
	}
	if s.steps++; s.steps > mostSteps {
		return false
	}
	out := slices.Clone(s.out[block])
	slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(s.Edges[b], s.Edges[a]) })
	for _, id := range out {
		e := s.Table.Edges[id]
		if s.through < 0 && !s.wanted(id) && (e.Back || !s.leads[e.To]) {
			continue
		}
		next := maps.Clone(known)
		if !next.Take(s.Function, id) {
			continue
		}
		had := s.through
		s.edges = append(s.edges, id)
		if s.through < 0 && s.wanted(id) {
			s.through = len(s.edges)
		}
		if e.Back && s.through >= 0 || !e.Back && s.from(e.To, next) {
			return true
		}
		s.edges, s.through = s.edges[:len(s.edges)-1], had
	}
	return false
}
