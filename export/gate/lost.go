package gate

import (
	"fmt"

	"github.com/goprofinstr/goprofinstr/export/compare"
	"github.com/goprofinstr/goprofinstr/export/profile"
)

// lost is what a baseline had and the profile does not have any more.
type lost struct {
	paths      map[*profile.Function]map[string]bool // by their edges
	edges      map[*profile.Function]map[int]bool
	statements map[*profile.Function]map[int]bool
}

// findLost compares with a baseline; nil is none.
func findLost(baseline, p *profile.Profile) *lost {
	l := &lost{make(map[*profile.Function]map[string]bool), make(map[*profile.Function]map[int]bool), make(map[*profile.Function]map[int]bool)}
	if baseline == nil {
		return l
	}
	for _, pair := range compare.Match(baseline, p).Pairs {
		f := pair.New
		l.paths[f], l.edges[f], l.statements[f] = make(map[string]bool), make(map[int]bool), make(map[int]bool)
		for i := range pair.Old.Paths {
			edges, ok := pair.Edges(pair.Old.Paths[i].Edges)
			if !ok {
				continue
			}
			l.paths[f][fmt.Sprint(edges)] = true
			for _, id := range edges {
				l.edges[f][id] = true
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
