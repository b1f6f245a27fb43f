package about

import (
	"cmp"
	"slices"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

// What copies of machine code do not tell.

// UnknownPaths returns the functions with paths that are not known, those with most of them first.
func UnknownPaths(p *profile.Profile) (list []*profile.Function) {
	for _, f := range p.Functions() {
		if f.Unknown > 0 {
			list = append(list, f)
		}
	}
	slices.SortStableFunc(list, func(a, b *profile.Function) int { return cmp.Compare(b.Unknown, a.Unknown) })
	return list
}

// UnknownShare returns which share of the paths of a function that ended are not known.
func UnknownShare(f *profile.Function) string {
	all := f.Unknown
	for i := range f.Paths {
		all += f.Paths[i].Count
	}
	return show.Percent(f.Unknown, all)
}

// A Group is functions of which one thing is true, for a reason.
type Group struct {
	Reason    string
	Functions []*profile.Function
}

// UncountedByReason returns the functions that are not counted in groups, largest first.
func UncountedByReason(p *profile.Profile) []Group {
	return byReason(p, func(f *profile.Function) string { return f.Uncounted })
}

// byReason returns the functions that have a reason in groups, largest first.
func byReason(p *profile.Profile, reasonOf func(*profile.Function) string) (groups []Group) {
	index := make(map[string]int)
	for _, f := range p.Functions() {
		reason := reasonOf(f)
		if reason == "" {
			continue
		}
		i, ok := index[reason]
		if !ok {
			i = len(groups)
			index[reason] = i
			groups = append(groups, Group{Reason: reason})
		}
		groups[i].Functions = append(groups[i].Functions, f)
	}
	slices.SortFunc(groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(len(b.Functions), len(a.Functions)), cmp.Compare(a.Reason, b.Reason))
	})
	return groups
}
