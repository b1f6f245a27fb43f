// Package hot finds out what is worth looking at in a profile. These are the paths and functions of the highest flow,
// and the functions in which most CPU time was spent.
package hot

import (
	"cmp"
	"slices"

	"github.com/goprofinstr/goprofinstr/export/profile"
)

// Path is a path with its function.
type Path struct {
	Function *profile.Function
	Path     *profile.Path
}

// Paths returns the n paths of the highest flow, hottest first. Paths of
// equal flow (straight-line ones have none) go by count, then in order of the source.
func Paths(p *profile.Profile, n int) []Path {
	var all []Path
	for _, f := range p.Functions() {
		for i := range f.Paths {
			all = append(all, Path{f, &f.Paths[i]})
		}
	}
	slices.SortStableFunc(all, func(a, b Path) int {
		return cmp.Or(cmp.Compare(b.Path.Flow(), a.Path.Flow()), cmp.Compare(b.Path.Count, a.Path.Count))
	})
	return all[:max(0, min(n, len(all)))]
}

// ByFlow returns the instrumented functions of p, those of the highest flow first and the others in order.
func ByFlow(p *profile.Profile) []*profile.Function {
	flow := make(map[*profile.Function]int64)
	var all []*profile.Function
	for _, f := range p.Functions() {
		if f.Declined() {
			continue
		}
		for i := range f.Paths {
			flow[f] += f.Paths[i].Flow()
		}
		all = append(all, f)
	}
	slices.SortStableFunc(all, func(a, b *profile.Function) int {
		return cmp.Or(cmp.Compare(flow[b], flow[a]), cmp.Compare(b.Entries, a.Entries))
	})
	return all
}
