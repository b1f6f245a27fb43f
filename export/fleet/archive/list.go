package archive

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/goprofinstr/goprofinstr/export/fleet/labels"
	"github.com/goprofinstr/goprofinstr/export/profile"
)

// Select says which runs are meant. The zero value means all.
type Select struct {
	Service string     // the runs of one service; "" means all
	Build   string     // of builds whose ID begins so; "" means all
	Labels  labels.Set // that have all of these labels; those of the host and the service are not kept

	// Days, in UTC, on which runs started: that of a time or later, and that of a time or earlier. The zero time means all.
	Since, Until time.Time
}

// has reports whether runs of a place are meant.
func (s Select) has(p place) bool {
	return strings.HasPrefix(p.build, s.Build) && (s.Since.IsZero() || p.day >= s.Since.UTC().Format(dayFormat)) &&
		(s.Until.IsZero() || p.day <= s.Until.UTC().Format(dayFormat))
}

// hasLabels reports whether runs with some labels are meant.
func (s Select) hasLabels(of string) bool {
	return len(s.Labels) == 0 || labels.Parse(of).Has(s.Labels)
}

// prefix is what names begin with of what may be meant.
func (s Select) prefix(top string) string {
	if s.Service == "" {
		return top
	}
	return top + clean(s.Service) + "/"
}

// A group is the names of all objects of one place.
type group struct {
	place
	runs []string // objects of runs, by name
	days []string // objects of the day, the last first
}

// groups lists what is in an archive. What has no name of an object is damaged.
func (a *Archive) groups(ctx context.Context, s Select) (list []*group, damaged []profile.Damage, err error) {
	all := make(map[place]*group)
	for _, top := range []string{daysFolder, countsFolder} { // compaction moves runs the other way: see stable
		infos, err := a.store.List(ctx, s.prefix(top))
		if err != nil {
			return nil, nil, err
		}
		for _, info := range infos {
			if err := addName(all, info.Name); err != nil {
				damaged = append(damaged, damage(info.Name, err))
			}
		}
	}
	list = slices.SortedFunc(maps.Values(all), func(a, b *group) int {
		return cmp.Or(cmp.Compare(a.service, b.service), cmp.Compare(a.build, b.build), cmp.Compare(a.day, b.day))
	})
	return list, damaged, nil
}

// addName adds an object to its group.
func addName(all map[place]*group, name string) error {
	top, p, err := parse(name)
	if err != nil {
		return err
	}
	g := all[p]
	if g == nil {
		g = &group{place: p}
		all[p] = g
	}
	if top == countsFolder {
		g.runs = append(g.runs, name)
		return nil
	}
	g.days = slices.Insert(g.days, 0, name) // numbers have as many digits each, up to a million
	slices.SortFunc(g.days, func(a, b string) int { return cmp.Compare(number(b), number(a)) })
	return nil
}

// outdated returns the objects of runs that have another object, of another build. They were put while the process was starting
// and had not all of its packages yet. The one with the most packages is that of the run. Those that cannot be read are among
// them, and are listed as damaged: one of these may be that of the run.
func (a *Archive) outdated(ctx context.Context, groups []*group) (names []string, damaged []profile.Damage, err error) {
	type run struct{ service, day, name string }
	objects := make(map[run][]string)
	for _, g := range groups {
		for _, name := range g.runs {
			r := run{g.service, g.day, path.Base(name)}
			objects[r] = append(objects[r], name)
		}
	}
	for _, list := range objects {
		if len(list) < 2 {
			continue
		}
		most, best := -1, ""
		for _, name := range list {
			o, err := a.run(ctx, name)
			switch {
			case errors.Is(err, fs.ErrNotExist): // somebody else compacts
				continue
			case errors.Is(err, errStore):
				return nil, nil, err
			case err != nil:
				damaged = append(damaged, damage(name, err))
				continue
			}
			if n := len(o.Parts[0].Counts.Packages); n > most || n == most && name > best {
				most, best = n, name
			}
		}
		names = append(names, slices.DeleteFunc(list, func(name string) bool { return name == best || best == "" })...)
	}
	slices.Sort(names)
	slices.SortFunc(damaged, func(a, b profile.Damage) int { return cmp.Compare(a.Name, b.Name) })
	return names, damaged, nil
}

// without leaves out objects, whose names are sorted.
func (g *group) without(outdated []string) {
	g.runs = slices.DeleteFunc(g.runs, func(name string) bool {
		_, found := slices.BinarySearch(outdated, name)
		return found
	})
}

// current returns the groups that are meant, without what is outdated, which is returned, too.
func (a *Archive) current(ctx context.Context, s Select) (list []*group, outdated []string, damaged []profile.Damage, err error) {
	all, damaged, err := a.groups(ctx, s)
	if err != nil {
		return nil, nil, nil, err
	}
	outdated, unread, err := a.outdated(ctx, all)
	if err != nil {
		return nil, nil, nil, err
	}
	damaged = append(damaged, unread...)
	for _, g := range all {
		g.without(outdated)
		if s.has(g.place) {
			list = append(list, g)
		}
	}
	return list, outdated, damaged, nil
}

// damage says that an object is left out.
func damage(name string, err error) profile.Damage {
	part := profile.RunFile
	if strings.HasPrefix(name, tablesFolder) {
		part = profile.TableFile
	}
	return profile.Damage{Part: part, Name: name, Reason: err.Error()}
}
