package archive

import (
	"context"
	"maps"
	"slices"

	"github.com/goprofinstr/goprofinstr/export/fleet/archive/object"
	"github.com/goprofinstr/goprofinstr/export/fleet/labels"
	"github.com/goprofinstr/goprofinstr/export/profile"
)

// A Group is what the runs of a build that started on one day, with the same labels, have counted in all.
type Group struct {
	Build
	Day    string     // in UTC, as in 2026-01-31
	Labels labels.Set // without those of the service and the host
}

// Groups calls do for each group of runs that are selected, by service, build, day and labels, until there is an error. What
// cannot be read is left out and listed. The memory it takes is that of the objects of a day, and of the tables of a build.
func (a *Archive) Groups(ctx context.Context, s Select, do func(*Group) error) (damaged []profile.Damage, err error) {
	groups, outdated, damaged, err := a.current(ctx, s)
	if err != nil {
		return nil, err
	}
	t, of := tables{archive: a, read: make(map[string][]byte)}, ""
	for _, g := range groups {
		sum, err := a.stable(ctx, g, outdated)
		if err != nil {
			return nil, err
		}
		damaged = append(damaged, sum.damaged...)
		if g.build != of { // whose tables are others
			maps.DeleteFunc(t.read, func(_ string, data []byte) bool { return data != nil })
			of = g.build
		}
		for _, part := range sum.object.Parts {
			if !s.hasLabels(part.Labels) {
				continue
			}
			runs := slices.DeleteFunc(slices.Clone(sum.object.Runs), func(r object.Run) bool { return r.Labels != part.Labels })
			group := &Group{
				Build: Build{Service: sum.object.Service, ID: g.build, Root: sum.object.Root, Runs: runs, Tally: part.Counts},
				Day:   g.day, Labels: labels.Parse(part.Labels),
			}
			if err := t.resolve(ctx, &group.Build); err != nil {
				return nil, err
			}
			if err := do(group); err != nil {
				return nil, err
			}
		}
	}
	return append(damaged, t.damaged...), nil
}
