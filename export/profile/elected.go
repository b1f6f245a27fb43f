package profile

import (
	"cmp"
	"maps"
	"slices"

	"github.com/goprofinstr/goprofinstr/export/profile/internal/method"
	"github.com/goprofinstr/goprofinstr/export/profile/internal/strata"
	"github.com/goprofinstr/goprofinstr/export/profile/internal/sums"
	"github.com/goprofinstr/goprofinstr/rt/event"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// settle returns a package of a run with counts of the targets that selectors have elected, which are not
// counted (rt/event/elected.go). Their count is what is left of the executions of their calls. settle is for
// each run by itself, since another run may have elected another target. A function whose counts make no
// sense stays as it is: it is left out when they are decoded.
func (b *builder) settle(pkg *rundata.Package, t *table.Package) *rundata.Package {
	var settled *rundata.Package
	var own sums.Budget // each run may be as large as all of them
	for i := range t.Functions {
		f := &t.Functions[i]
		if !hasElected(f, pkg) {
			continue
		}
		if settled == nil {
			copied := *pkg
			copied.Hashes = slices.Clone(pkg.Hashes)
			settled = &copied
		}
		own.Used = 0
		decoded := newFunction(t, i)
		if decoded.decode(&counts{table: t, counters: pkg.Counters, hashes: pkg.Hashes}, &own) == nil {
			decoded.settle(settled, pkg, t)
		}
	}
	return cmp.Or(settled, pkg)
}

// addStrata returns the packages of a run with estimates and samples in place of messages. The marks of elected targets
// are no messages.
func (b *builder) addStrata(run *rundata.Run) ([]*rundata.Package, error) {
	var list []strata.Package
	elected := make([]map[int]uint64, len(run.Packages))
	for i, p := range run.Packages {
		of := strata.Package{Package: p}
		if t, err := b.table(p); err == nil {
			of.Table = t
			of.Package, elected[i] = withoutElected(p, t)
		}
		list = append(list, of)
	}
	pkgs, err := strata.Estimate(run.Stream, list)
	if err != nil {
		return nil, err
	}
	for i, marks := range elected {
		for hash, v := range marks {
			pkgs[i].Hashes[hash][v|event.ElectedOf] = 1
		}
	}
	return pkgs, nil
}

// electing returns the hash table of a selector that may elect a target.
func electing(s *table.Selector, pkg *rundata.Package) map[uint64]uint64 {
	if s.Kind != table.Calls || s.Hash < 0 || s.Hash >= len(pkg.Hashes) {
		return nil
	}
	return pkg.Hashes[s.Hash]
}

// electedOf returns what was elected.
func electedOf(hash map[uint64]uint64) (value uint64, ok bool) {
	for v, n := range hash {
		if n > 0 && v&(event.ElectedOf|runfile.SamplesOf) == event.ElectedOf {
			return v &^ event.ElectedOf, true
		}
	}
	return 0, false
}

// withoutElected returns a package without the marks of elected targets, and these by hash table.
func withoutElected(pkg *rundata.Package, t *table.Package) (*rundata.Package, map[int]uint64) {
	found := make(map[int]uint64)
	copied := *pkg
	copied.Hashes = slices.Clone(pkg.Hashes)
	for _, f := range t.Functions {
		for _, s := range f.Selectors {
			if v, ok := electedOf(electing(&s, pkg)); ok {
				found[s.Hash] = v
				hash := maps.Clone(pkg.Hashes[s.Hash])
				delete(hash, v|event.ElectedOf)
				copied.Hashes[s.Hash] = hash
			}
		}
	}
	return &copied, found
}

func hasElected(f *table.Function, pkg *rundata.Package) bool {
	return f.Declined == "" && slices.ContainsFunc(f.Selectors, func(s table.Selector) bool {
		_, ok := electedOf(electing(&s, pkg))
		return ok
	})
}

// settle replaces the hash tables of f's selectors.
func (f *Function) settle(settled, pkg *rundata.Package, t *table.Package) {
	for i := range f.Table.Selectors {
		s := &f.Table.Selectors[i]
		hash := electing(s, pkg)
		elected, ok := electedOf(hash)
		if !ok {
			continue
		}
		kept := method.Of(t.MethodOfEvents())
		left := max(f.executions(s.Sites), 0)
		hash = maps.Clone(hash)
		delete(hash, elected|event.ElectedOf)
		for v, n := range hash {
			if v != elected && v&runfile.SamplesOf == 0 {
				left -= min(left, int64(kept.Executions(n)))
			}
		}
		// Before it was elected it was counted.
		hash[elected] = max(hash[elected], kept.Count(uint64(left)))
		settled.Hashes[s.Hash] = hash
	}
}

// executions returns how often a call at some sites was executed, all together.
func (f *Function) executions(sites []table.Site) (n int64) {
	for _, s := range sites {
		n += f.siteCount(s)
	}
	return n
}
