package profile

import (
	"math"
	"slices"

	"github.com/goprofinstr/goprofinstr/export/profile/internal/interval"
	"github.com/goprofinstr/goprofinstr/export/profile/internal/method"
	"github.com/goprofinstr/goprofinstr/export/profile/internal/sums"
	"github.com/goprofinstr/goprofinstr/export/profile/internal/windows"
	"github.com/goprofinstr/goprofinstr/rt/event"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// Named returns what packages of one run have counted in the form in which runs add up. A value that has a name has the number of
// the name, see NumberOf. The targets that were elected have their counts. The names are those of the numbers, nil if there are
// none. What makes no sense stays as it is.
func (t *Tables) Named(list []rundata.Sparse, names map[uint64]rundata.Name) ([]rundata.Sparse, map[uint64]string) {
	return NewLive(t).named(list, names, true)
}

// Named is Tables.Named for a run that goes on: values without a name are left out, for they may be about to get one.
func (l *Live) Named(list []rundata.Sparse, names map[uint64]rundata.Name) ([]rundata.Sparse, map[uint64]string) {
	return l.named(list, names, false)
}

func (l *Live) named(list []rundata.Sparse, names map[uint64]rundata.Name, ended bool) (
	packages []rundata.Sparse, byNumber map[uint64]string,
) {
	n := make(namer)
	packages = slices.Clone(list)
	for i := range packages {
		if s := &packages[i]; hashesUsed(s) {
			if pkg := l.of(s); len(pkg.named) > 0 && pkg.has(s, uint64(s.Size)) {
				pkg.name(s, l.settled(pkg, s, n, names), ended)
			}
		}
	}
	if len(n) == 0 {
		return packages, nil
	}
	return packages, n
}

// hashesUsed reports whether anything was counted in hash tables.
func hashesUsed(s *rundata.Sparse) bool {
	return slices.ContainsFunc(s.Hashes, func(list []rundata.Entry) bool { return len(list) > 0 })
}

// settled returns the hash tables of values that have names, with what was elected.
func (l *Live) settled(pkg *livePackage, s *rundata.Sparse, n namer, names map[uint64]rundata.Name) *rundata.Package {
	number := func(name string) uint64 {
		known, ok := l.numbers[name]
		if !ok {
			if len(l.numbers) >= mostKnown {
				clear(l.numbers)
			}
			known = NumberOf(name)
			l.numbers[name] = known
		}
		return known
	}
	raw := &rundata.Package{Path: s.Path, Hashes: make([]map[uint64]uint64, len(s.Hashes))}
	for _, f := range pkg.named {
		for i := range f.Table.Selectors {
			if of := &f.Table.Selectors[i]; hasNames(of, len(s.Hashes)) {
				raw.Hashes[of.Hash] = n.rename(s.Hash(of.Hash), of, names, number)
			}
		}
	}
	out := &rundata.Package{Path: s.Path, Hashes: slices.Clone(raw.Hashes)}
	c := &counts{table: pkg.table, sparse: s}
	for _, f := range pkg.named {
		if hasElected(f.Table, raw) && f.decode(c) == nil {
			f.Function.settle(out, raw, pkg.table)
		}
	}
	return out
}

// decode sets all of f that settle needs.
func (f *liveFunction) decode(c *counts) error {
	var b sums.Budget
	f.counts = c.paths(f.Table)
	err := f.setPaths(&b)
	f.counts, f.Partials, f.Entries = nil, nil, 0
	if err != nil {
		return err
	}
	return f.decodeRest(f.decoder, c, &b)
}

// name sets the hash tables of values that have names to what was counted with these. Where the run has not ended, those without
// are left out.
func (pkg *livePackage) name(s *rundata.Sparse, named *rundata.Package, ended bool) {
	s.Hashes = slices.Clone(s.Hashes)
	for _, f := range pkg.named {
		for i := range f.Table.Selectors {
			if of := &f.Table.Selectors[i]; hasNames(of, len(s.Hashes)) {
				if !ended {
					delete(named.Hashes[of.Hash], Unnamed) // they are our own: rename has made them
				}
				s.Hashes[of.Hash] = rundata.Entries(named.Hashes[of.Hash])
			}
		}
	}
}

// Sparse returns what p, the profile of one run, says of each path and event, estimates among them. It has the form in which a
// run has counts; the names of values are by NumberOf. A run with these counts has the paths and the events of p with their
// counts and samples, and the entries of its functions. Of all else that p has, such as activations that were abandoned,
// intervals and contexts, it has nothing. Off says what samples do not tell of intervals.
//
// If least is true, estimates are what later samples will hardly take back: three times as far below as their intervals.
func (t *Tables) Sparse(p *Profile, run *rundata.Run, least bool) (list []rundata.Sparse, names map[uint64]string) {
	named := make(namer)
	tables := make(map[string][]byte)
	for _, pkg := range run.Packages {
		tables[pkg.Path] = pkg.Table
	}
	for _, pkg := range p.Packages {
		if decoded, err := t.decode(tables[pkg.Path]); err == nil {
			s := rundata.Sparse{Path: pkg.Path, Table: tables[pkg.Path], Size: int(decoded.Counters)}
			s.Hashes = make([][]rundata.Entry, hashesOf(decoded))
			pkg.addTo(&s, named, least)
			list = append(list, s)
		}
	}
	return list, named
}

// hashesOf returns how many hash tables the functions of a package have.
func hashesOf(t *table.Package) (n int) {
	for i := range t.Functions {
		if f := &t.Functions[i]; f.Declined == "" {
			n = max(n, f.Hashes())
		}
	}
	return n
}

func (pkg *Package) addTo(out *rundata.Sparse, named namer, least bool) {
	for _, f := range pkg.Functions {
		if f.Declined() {
			continue
		}
		kept := method.Of(f.Method)
		if f.Table.Entries >= 0 && f.Entries > 0 && kept.Words() == 1 {
			out.Counters = append(out.Counters, rundata.Entry{At: uint64(f.Table.Entries), N: uint64(f.Entries)})
		}
		for i := range f.Paths {
			path := &f.Paths[i]
			count := path.Count
			if least {
				count = path.least(f.Copied)
			}
			f.addSparse(out, kept, count, path.Samples, path.ID)
		}
		if f.Unknown > 0 { // behind the last path
			count := f.Unknown
			if least {
				count = leastOf(count, f.UnknownSamples)
			}
			f.addSparse(out, kept, count, f.UnknownSamples, f.Table.Values.NumPaths)
		}
		for i := range f.Events {
			pkg.addEvents(out, &f.Events[i], named, least)
		}
	}
	rundata.SortEntries(out.Counters)
	for _, list := range out.Hashes {
		rundata.SortEntries(list)
	}
}

// addSparse adds the count and the samples of a path, by its number.
func (f *Function) addSparse(out *rundata.Sparse, kept method.Method, count, samples int64, id uint64) {
	if f.inHash() {
		out.Hashes[f.Table.Hash] = addSparse(out.Hashes[f.Table.Hash], kept, count, samples, id, id|runfile.SamplesOf)
		return
	}
	at := (f.Table.First + id) * kept.Words()
	out.Counters = addSparse(out.Counters, kept, count, samples, at, at+1)
}

// addEvents adds the values of events.
func (pkg *Package) addEvents(out *rundata.Sparse, e *Events, named namer, least bool) {
	if e.Hash < 0 {
		return
	}
	kept := method.Of(pkg.Events)
	for i := range e.Values {
		v := &e.Values[i]
		at, count := e.number(v, named), v.Count
		if least {
			count = leastOf(v.Count, v.Samples)
		}
		out.Hashes[e.Hash] = addSparse(out.Hashes[e.Hash], kept, count, v.Samples, at, at|runfile.SamplesOf)
	}
}

// number returns the number of a value in a hash table.
func (e *Events) number(v *Value, named namer) uint64 {
	switch {
	case v.Other:
		return event.OtherValue
	case v.Unnamed:
		return Unnamed
	case e.Kind.Named():
		number := NumberOf(v.Name)
		named[number] = v.Name
		return number
	case e.Kind == table.Numbers:
		return table.Zigzag(v.Number)
	}
	return uint64(v.Number)
}

// least returns how often a path was executed at least, given what is known of it. How far off the clock may be in copies is no
// part of that: it is as far off in later samples.
func (p *Path) least(copied bool) int64 {
	if p.Selections != nil {
		low, _ := p.Interval()
		if copied {
			least, _ := windows.Sampling.Of(interval.Log, float64(p.Count), p.Selections[:len(windows.Sampling.Weights)], 0)
			low = int64(least)
		}
		return max(p.Exact, p.Count-3*(p.Count-low))
	}
	return leastOf(p.Count, p.Samples)
}

// leastOf returns which part of an estimate is certain, given of how many samples it is made. Windows are not independent, nor
// are the samples of strata of one path, so the margin is a wide one.
func leastOf(count, samples int64) int64 {
	if samples == 0 {
		return count
	}
	return max(0, count-int64(math.Ceil(6*float64(count)/math.Sqrt(float64(samples)))))
}

// addSparse adds a count, and its samples where counts have any.
func addSparse(list []rundata.Entry, kept method.Method, count, samples int64, at, samplesAt uint64) []rundata.Entry {
	if count > 0 {
		list = append(list, rundata.Entry{At: at, N: kept.Count(uint64(count))})
	}
	if kept.Words() > 1 && samples > 0 && count > 0 {
		list = append(list, rundata.Entry{At: samplesAt, N: uint64(samples)})
	}
	return list
}
