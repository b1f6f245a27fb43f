package archive

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/goprofinstr/goprofinstr/export/fleet/archive/object"
	"github.com/goprofinstr/goprofinstr/export/fleet/tally"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
)

// A Build is what the runs of one build of one service have counted in all.
type Build struct {
	Service string // "" if none was told
	ID      string // a hash over the packages and their tables
	Root    string // rundata.Run.Root

	Runs  []object.Run // by host and name
	Tally *tally.Tally // with path tables
}

// Newest returns when the last run has started.
func (b *Build) Newest() (t time.Time) {
	for _, r := range b.Runs {
		if r.Start.After(t) {
			t = r.Start
		}
	}
	return t
}

// Oldest returns when the first run has started.
func (b *Build) Oldest() (t time.Time) {
	for i, r := range b.Runs {
		if i == 0 || r.Start.Before(t) {
			t = r.Start
		}
	}
	return t
}

// Processes returns how many of the runs were processes.
func (b *Build) Processes() (n int) {
	for _, r := range b.Runs {
		if r.Process {
			n++
		}
	}
	return n
}

// Hosts returns how many hosts they ran on.
func (b *Build) Hosts() (n int) {
	for i, r := range b.Runs { // which are sorted by host
		if i == 0 || r.Host != b.Runs[i-1].Host {
			n++
		}
	}
	return n
}

// Merge adds up the runs that are selected, by build: in order of service and, of a service, the newest first. What cannot
// be read is left out and listed. Objects are read one by one, so the memory it takes is that of the builds.
//
// What comes out is the same in whatever order runs were put and days compacted, as long as no sum has more than 64 bits. A run
// with which a sum would have more is left out.
func (a *Archive) Merge(ctx context.Context, s Select) (builds []Build, damaged []profile.Damage, err error) {
	builds, damaged, err = a.counts(ctx, s)
	if err != nil {
		return nil, nil, err
	}
	t := tables{archive: a, read: make(map[string][]byte)}
	for i := range builds {
		if err := t.resolve(ctx, &builds[i]); err != nil {
			return nil, nil, err
		}
	}
	return builds, append(damaged, t.damaged...), nil
}

// counts is Merge for builds whose packages have the SHA-256 of their tables in place of these.
func (a *Archive) counts(ctx context.Context, s Select) (builds []Build, damaged []profile.Damage, err error) {
	groups, outdated, damaged, err := a.current(ctx, s)
	if err != nil {
		return nil, nil, err
	}
	byBuild := make(map[place]*object.Object) // without days
	for _, g := range groups {
		sum, err := a.stable(ctx, g, outdated)
		if err != nil {
			return nil, nil, err
		}
		damaged = append(damaged, sum.damaged...)
		sum.object.Keep(s.hasLabels)
		if len(sum.object.Runs) == 0 {
			continue
		}
		key := place{service: g.service, build: g.build}
		if byBuild[key] == nil {
			byBuild[key] = &object.Object{Service: sum.object.Service}
		}
		if err := byBuild[key].Add(sum.object); err != nil {
			damaged = append(damaged, damage(g.folder(countsFolder), err))
		}
	}
	for key, o := range byBuild {
		total, err := o.Total()
		if err != nil {
			damaged = append(damaged, damage(place{service: key.service, build: key.build}.folder(countsFolder), err))
			continue
		}
		builds = append(builds, Build{Service: o.Service, ID: key.build, Root: o.Root, Runs: o.Runs, Tally: total})
	}
	slices.SortFunc(builds, func(a, b Build) int {
		return cmp.Or(cmp.Compare(a.Service, b.Service), onlyTables(a)-onlyTables(b), b.Newest().Compare(a.Newest()), cmp.Compare(a.ID, b.ID))
	})
	return builds, damaged, nil
}

// onlyTables returns 1 for a build without processes, which comes behind all others of its service.
func onlyTables(b Build) int {
	if b.Processes() == 0 {
		return 1
	}
	return 0
}

// tables are those of an archive that have been read.
type tables struct {
	archive *Archive
	read    map[string][]byte // by SHA-256 in hexadecimal; nil if there is none that can be read
	damaged []profile.Damage
}

// resolve puts the tables of a build in the place of their SHA-256. Packages without a table are left out.
func (t *tables) resolve(ctx context.Context, b *Build) error {
	for i := range b.Tally.Packages {
		p := &b.Tally.Packages[i]
		sum := hex.EncodeToString(p.Table)
		data, ok := t.read[sum]
		if !ok {
			var err error
			data, err = t.archive.table(ctx, sum)
			switch {
			case errors.Is(err, errStore):
				return err
			case err != nil:
				t.damaged = append(t.damaged, damage(tablesFolder+sum, fmt.Errorf("%w: what was counted in %s is left out", err, p.Path)))
			}
			t.read[sum] = data
		}
		p.Table = data
	}
	b.Tally.Packages = slices.DeleteFunc(b.Tally.Packages, func(p rundata.Sparse) bool { return p.Table == nil })
	return nil
}
