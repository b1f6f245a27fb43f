package accuracy

import (
	"cmp"
	"errors"
	"slices"
)

// Threshold is the share of a program's flow that a path has to be above to be hot (PEP 6.3).
const Threshold = 0.00125

// A weighed path has its flow: weight × branches (PEP 6.3).
type weighed struct {
	pathID
	flow float64
}

// flows returns the flow of all paths that have any.
func (p *Profile) flows() []weighed {
	var all []weighed
	for _, f := range p.Functions {
		outs := f.outs()
		for i := range f.Paths {
			if flow := f.Paths[i].Weight * float64(f.branches(outs, f.Paths[i].Edges)); flow > 0 {
				all = append(all, weighed{f.id(&f.Paths[i]), flow})
			}
		}
	}
	return all
}

// branches returns how many of the edges are one of several out of their block.
func (f *Function) branches(outs [][]int, edges []int) int {
	n := 0
	for _, e := range edges {
		if len(outs[f.Edges[e].From]) > 1 {
			n++
		}
	}
	return n
}

// hot returns the flow of each hot path.
func (p *Profile) hot() map[pathID]float64 {
	all := p.flows()
	total := 0.0
	for _, w := range all {
		total += w.flow
	}
	hot := make(map[pathID]float64)
	for _, w := range all {
		if w.flow > Threshold*total {
			hot[w.pathID] = w.flow
		}
	}
	return hot
}

// HotPaths returns how many paths of p are hot.
func (p *Profile) HotPaths() int { return len(p.hot()) }

// Paths returns the accuracy of estimated paths by Wall's weight matching with branch flow (PEP 6.3). Of the
// n hot paths of the actual profile, it is the share of their flow that is on the n hottest of the estimate.
// Several paths of the estimate may have the flow of the nth, as is common where samples are few. Then the
// result is the mean over all choices among them; PEP does not say which it takes.
//
// It is an error if the actual profile has no hot path or is of another program.
func Paths(actual, estimate *Profile) (float64, error) {
	if _, err := match(actual, estimate); err != nil {
		return 0, err
	}
	hot := actual.hot()
	if len(hot) == 0 {
		return 0, errors.New("no path is hot")
	}
	total := 0.0
	for _, w := range actual.flows() {
		total += hot[w.pathID]
	}
	found, places := 0.0, len(hot)
	for estimated := sorted(estimate.flows()); places > 0 && len(estimated) > 0; {
		tied := estimated[:ties(estimated)]
		estimated = estimated[len(tied):]
		taken := min(places, len(tied))
		for _, w := range tied {
			found += hot[w.pathID] * float64(taken) / float64(len(tied))
		}
		places -= taken
	}
	return found / total, nil
}

// sorted sorts paths by decreasing flow.
func sorted(paths []weighed) []weighed {
	slices.SortFunc(paths, func(a, b weighed) int {
		return cmp.Or(cmp.Compare(b.flow, a.flow), cmp.Compare(a.function, b.function), cmp.Compare(a.path, b.path))
	})
	return paths
}

// ties returns how many paths at the beginning of a sorted list have the same flow, but for rounding.
func ties(paths []weighed) int {
	const rounding = 1e-9
	n := slices.IndexFunc(paths, func(w weighed) bool { return w.flow < paths[0].flow*(1-rounding) })
	if n < 0 {
		return len(paths)
	}
	return n
}
