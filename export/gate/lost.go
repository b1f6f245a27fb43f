package gate

import (
	"fmt"
	"slices"

	"github.com/goprofinstr/goprofinstr/export/compare"
	"github.com/goprofinstr/goprofinstr/export/profile"
)

// lost is what a baseline had and the profile does not have any more, and what code it did not have.
type lost struct {
	compared   bool                                  // with a baseline
	known      map[*profile.Function][]bool          // edges that the baseline has, too, of functions that it has
	paths      map[*profile.Function]map[string]bool // by their edges
	edges      map[*profile.Function]map[int]bool
	statements map[*profile.Function]map[int]bool
}

// findLost compares with a baseline; nil is none.
func findLost(baseline, p *profile.Profile) *lost {
	l := &lost{
		compared: baseline != nil, known: make(map[*profile.Function][]bool),
		paths: make(map[*profile.Function]map[string]bool), edges: make(map[*profile.Function]map[int]bool),
		statements: make(map[*profile.Function]map[int]bool),
	}
	if baseline == nil {
		return l
	}
	for _, pair := range compare.Match(baseline, p).Pairs {
		f := pair.New
		l.known[f] = make([]bool, len(f.Table.Edges))
		l.paths[f], l.edges[f], l.statements[f] = make(map[string]bool), make(map[int]bool), make(map[int]bool)
		for id := range pair.Old.Table.Edges {
			if same, ok := pair.Edges([]int{id}); ok { // which may be so of some edges of a path only
				l.known[f][same[0]], l.edges[f][same[0]] = true, pair.Old.Edges[id] > 0
			}
		}
		for i := range pair.Old.Paths {
			if edges, ok := pair.Edges(pair.Old.Paths[i].Edges); ok {
				l.paths[f][fmt.Sprint(edges)] = true
			}
		}
		if pair.Changed {
			continue
		}
		for i, n := range pair.Old.StatementCounts() {
			l.statements[f][i] = n > 0
		}
	}
	return l
}

func (l *lost) path(f *profile.Function, edges []int) bool { return l.paths[f][fmt.Sprint(edges)] }
func (l *lost) edge(f *profile.Function, id int) bool      { return l.edges[f][id] }
func (l *lost) statement(f *profile.Function, i int) bool  { return l.statements[f][i] }

// isNew reports whether the baseline does not have one of some edges.
func (l *lost) isNew(f *profile.Function, edges ...int) bool {
	known := l.known[f]
	return l.compared && (known == nil || slices.ContainsFunc(edges, func(id int) bool { return !known[id] }))
}

// isNewBlock reports whether the baseline does not have a block: none of the edges into it.
func (l *lost) isNewBlock(f *profile.Function, block int) bool {
	known := l.known[f]
	if !l.compared || known == nil {
		return l.compared
	}
	isNew := false
	for id, e := range f.Table.Edges {
		if e.To == block {
			if known[id] {
				return false
			}
			isNew = true
		}
	}
	return isNew
}
