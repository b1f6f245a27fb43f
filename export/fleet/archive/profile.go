package archive

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/export/fleet/archive/object"
	"github.com/goprofinstr/goprofinstr/export/fleet/tally"
	"github.com/goprofinstr/goprofinstr/export/profile"
)

// Profile returns the profile of a build. The tables of earlier calls are not decoded again.
func (b *Build) Profile(tables *profile.Tables) (*profile.Profile, error) {
	p, err := b.Tally.Profile(tables)
	if err != nil {
		return nil, err
	}
	p.Root, p.BuildRoot, p.Built = b.Root, b.Root, true
	sampling, stream := p.Runs[0].Sampling, p.Runs[0].Stream
	p.Runs = nil
	for _, r := range b.Runs {
		if r.Process {
			p.Runs = append(p.Runs, profile.Run{Start: r.Start})
		}
	}
	slices.SortStableFunc(p.Runs, func(a, b profile.Run) int { return a.Start.Compare(b.Start) })
	if len(p.Runs) > 0 {
		p.Runs[0].Lost, p.Runs[0].Sampling, p.Runs[0].Stream = b.Tally.Lost, sampling, stream // of all
	}
	return p, nil
}

// Choose returns one of builds, which Merge has returned, and those that are left out. It is the newest one or, if id is not "",
// the one whose ID begins with id. All others that have the same tables of the packages that both have are added to it, since
// equal numbers mean equal paths in these. Examples are the test binaries of one go test, or a new build of which other packages
// have changed.
//
// It is an error if they are of several services, or if there is none.
func Choose(builds []Build, id string) (*Build, []Build, error) {
	if err := oneService(builds); err != nil {
		return nil, nil, err
	}
	first := slices.IndexFunc(builds, func(b Build) bool { return strings.HasPrefix(b.ID, id) })
	if first < 0 {
		return nil, nil, fmt.Errorf("no build %s; there are %s", id, ids(builds))
	}
	chosen := builds[first]
	chosen.Runs, chosen.Tally = slices.Clone(chosen.Runs), &tally.Tally{}
	if err := chosen.Tally.Add(builds[first].Tally); err != nil {
		return nil, nil, err
	}
	var left []Build
	for i, b := range builds {
		if i == first {
			continue
		}
		add := chosen.Tally.Add
		if chosen.Processes() == 0 || b.Processes() == 0 {
			add = chosen.Tally.AddTables
		}
		if add(b.Tally) != nil {
			left = append(left, b)
			continue
		}
		chosen.Runs, chosen.Root = append(chosen.Runs, b.Runs...), cmp.Or(chosen.Root, b.Root)
	}
	slices.SortFunc(chosen.Runs, object.Run.Compare)
	return &chosen, left, nil
}

// oneService returns an error unless all builds are of one service.
func oneService(builds []Build) error {
	if len(builds) == 0 {
		return fmt.Errorf("there are no counts in it")
	}
	var names []string
	for _, b := range builds {
		names = append(names, cmp.Or(b.Service, "that has no name"))
	}
	if names = slices.Compact(names); len(names) > 1 {
		return fmt.Errorf("it has runs of %d services; choose one: %s", len(names), strings.Join(names[:min(len(names), 10)], ", "))
	}
	return nil
}

// ids returns the IDs of builds, the newest first, if there are not too many.
func ids(builds []Build) string {
	var list []string
	for _, b := range builds[:min(len(builds), 10)] {
		list = append(list, b.ID)
	}
	return strings.Join(list, ", ")
}
