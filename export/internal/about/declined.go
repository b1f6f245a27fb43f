package about

import (
	"cmp"
	"slices"

	"github.com/goprofinstr/goprofinstr/export/profile"
)

// DeclinedGroup is the functions declined for one reason.
type DeclinedGroup struct {
	Reason    string
	Functions []*profile.Function
}

// DeclinedByReason returns the declined functions in groups, largest first.
func DeclinedByReason(p *profile.Profile) []DeclinedGroup {
	index := make(map[string]int)
	var groups []DeclinedGroup
	for _, f := range p.Functions() {
		if !f.Declined() {
			continue
		}
		reason := f.Table.Declined
		i, ok := index[reason]
		if !ok {
			i = len(groups)
			index[reason] = i
			groups = append(groups, DeclinedGroup{Reason: reason})
		}
		groups[i].Functions = append(groups[i].Functions, f)
	}
	slices.SortFunc(groups, func(a, b DeclinedGroup) int {
		return cmp.Or(cmp.Compare(len(b.Functions), len(a.Functions)), cmp.Compare(a.Reason, b.Reason))
	})
	return groups
}
