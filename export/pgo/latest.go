package pgo

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/export/profile/builds"
)

// A build has the counts of runs whose tables do not contradict each other.
type build struct {
	tables map[string]builds.Sum
	counts []*builds.Counts
}

// groupBuilds returns the builds of all counts, the newest one first, in whatever order they are given. The newest build
// is the one whose first run started last. It need not be the one that ran last: old instances are restarted while a new
// version is rolled out.
func groupBuilds(all []*builds.Counts) (list []*build) {
	for _, c := range slices.SortedFunc(slices.Values(all), newestFirst) {
		at := slices.IndexFunc(list, func(b *build) bool { return builds.Agree(b.tables, c.Tables) })
		if at < 0 {
			at = len(list)
			list = append(list, &build{tables: make(map[string]builds.Sum)})
		}
		maps.Copy(list[at].tables, c.Tables)
		list[at].counts = append(list[at].counts, c)
	}
	slices.SortStableFunc(list, func(a, b *build) int { return b.first().Compare(a.first()) })
	return list
}

// first returns when the first run of a build started.
func (b *build) first() (start time.Time) {
	for _, c := range b.counts {
		if c.Runs > 0 && (start.IsZero() || c.First.Before(start)) {
			start = c.First
		}
	}
	return start
}

// newestFirst orders counts by their first run. Of those that are equal it does not matter which comes first: their
// tables are.
func newestFirst(a, b *builds.Counts) int {
	return cmp.Or(b.First.Compare(a.First), b.Last.Compare(a.Last),
		slices.CompareFunc(sorted(a.Tables), sorted(b.Tables), compareTables))
}

// named is a table of a package.
type named struct {
	path string
	sum  builds.Sum
}

func sorted(tables map[string]builds.Sum) (list []named) {
	for _, path := range slices.Sorted(maps.Keys(tables)) {
		list = append(list, named{path, tables[path]})
	}
	return list
}

func compareTables(a, b named) int {
	return cmp.Or(strings.Compare(a.path, b.path), bytes.Compare(a.sum[:], b.sum[:]))
}

// packages returns the packages of a build, by import path.
func (b *build) packages() map[string]*profile.Package {
	packages := make(map[string]*profile.Package)
	for _, c := range b.counts {
		for _, pkg := range c.Profile.Packages {
			packages[pkg.Path] = pkg
		}
	}
	return packages
}

// programs returns the packages main of a build. Builds of tests may have none.
func (b *build) programs() (paths []string) {
	for path, pkg := range b.packages() {
		if pkg.Main {
			paths = append(paths, path)
		}
	}
	return paths
}

// newLatest returns what a profile is for: the packages of the first build, which is the newest one. A program that has
// no newer build, as where the services of a fleet share packages only, adds those that no newer build has. Of all
// others what the newest build does not have is gone.
func newLatest(list []*build) *profile.Profile {
	latest := make(map[string]*profile.Package)
	known := make(map[string]bool) // programs
	for i, b := range list {
		programs := b.programs()
		if i == 0 || slices.ContainsFunc(programs, func(path string) bool { return !known[path] }) {
			for path, pkg := range b.packages() {
				if latest[path] == nil {
					latest[path] = pkg
				}
			}
		}
		for _, path := range programs {
			known[path] = true
		}
	}
	return profileOf(latest)
}

// profileOf returns a profile of packages.
func profileOf(packages map[string]*profile.Package) *profile.Profile {
	p := new(profile.Profile)
	for _, path := range slices.Sorted(maps.Keys(packages)) {
		p.Packages = append(p.Packages, packages[path])
	}
	return p
}
