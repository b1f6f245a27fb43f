package builds

import (
	"crypto/sha256"
	"maps"
	"slices"

	"github.com/goprofinstr/goprofinstr/export/fleet/labels"
	"github.com/goprofinstr/goprofinstr/export/profile/internal/input"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// A build has the runs of a directory whose tables do not contradict each other.
type build struct {
	tables  map[string]Sum
	decoded map[string]*table.Package // of the tables that no run has linked
	runs    []*rundata.Run
}

// group returns the builds of a directory, that of the last run first. Encoded are the tables that wrap has left there,
// and decoded are those of them that no run has.
func group(runs []*rundata.Run, encoded, decoded []input.EncodedTable) (builds []*build) {
	for _, r := range slices.SortedFunc(slices.Values(runs), byStart) {
		tables := sums(r)
		at := slices.IndexFunc(builds, func(b *build) bool { return Agree(b.tables, tables) })
		if at < 0 {
			at = len(builds)
			builds = append(builds, newBuild())
		}
		maps.Copy(builds[at].tables, tables)
		builds[at].runs = append(builds[at].runs, r)
	}
	if len(builds) == 0 {
		builds = append(builds, newBuild())
	}
	b := wrapped(builds, encoded)
	for _, e := range decoded {
		if _, linked := b.tables[e.Table.Path]; !linked {
			b.tables[e.Table.Path], b.decoded[e.Table.Path] = sha256.Sum256(e.Data), e.Table
		}
	}
	return builds
}

func newBuild() *build {
	return &build{tables: make(map[string]Sum), decoded: make(map[string]*table.Package)}
}

// wrapped returns the build that wrap has left tables of: the one that has most of them.
func wrapped(builds []*build, encoded []input.EncodedTable) *build {
	left := make(map[Sum]bool)
	for _, e := range encoded {
		left[sha256.Sum256(e.Data)] = true
	}
	had := func(b *build) (n int) {
		for _, sum := range b.tables {
			if left[sum] {
				n++
			}
		}
		return n
	}
	return slices.MaxFunc(builds, func(a, b *build) int { return had(a) - had(b) })
}

// sums returns the tables of the packages of a run.
func sums(r *rundata.Run) map[string]Sum {
	tables := make(map[string]Sum)
	for _, p := range r.Packages {
		tables[p.Path] = sha256.Sum256(p.Table)
	}
	return tables
}

// Agree reports whether two builds may be one: no package has another table in one of them than in the other.
func Agree(a, b map[string]Sum) bool {
	if len(b) < len(a) {
		a, b = b, a
	}
	for path, sum := range a {
		if other, ok := b[path]; ok && other != sum {
			return false
		}
	}
	return true
}

// counts adds up the runs of a build, each service by itself.
func (b *build) counts() (all []*Counts, err error) {
	services := make(map[string][]*rundata.Run)
	for _, r := range b.runs {
		name := labels.ToldService(r)
		services[name] = append(services[name], r)
	}
	if len(b.runs) == 0 {
		services[""] = nil
	}
	for _, name := range slices.Sorted(maps.Keys(services)) {
		c, err := b.newCounts(name, services[name])
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// unlinked returns the tables of the build that no run has.
func (b *build) unlinked() (tables []*table.Package) {
	for _, path := range slices.Sorted(maps.Keys(b.decoded)) {
		tables = append(tables, b.decoded[path])
	}
	return tables
}
