package profile

import (
	"math"

	"github.com/goprofinstr/goprofinstr/export/profile/internal/method"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
)

// Sparse returns what p, the profile of one run, says of each path, estimates among them, in the form in which a run has counts. A run
// with these counts has the paths of p with their counts and samples, and the entries of its functions. Of all else that
// p has, such as activations that were abandoned, intervals, events and contexts, it has nothing.
//
// If least is true, estimates are what later samples will hardly take back: three times as far below as their intervals.
func (t *Tables) Sparse(p *Profile, run *rundata.Run, least bool) (list []rundata.Sparse) {
	tables := make(map[string][]byte)
	for _, pkg := range run.Packages {
		tables[pkg.Path] = pkg.Table
	}
	for _, pkg := range p.Packages {
		if decoded, err := t.decode(tables[pkg.Path]); err == nil {
			s := rundata.Sparse{Path: pkg.Path, Table: tables[pkg.Path], Size: int(decoded.Counters)}
			pkg.addTo(&s, least)
			list = append(list, s)
		}
	}
	return list
}

func (pkg *Package) addTo(out *rundata.Sparse, least bool) {
	for _, f := range pkg.Functions {
		if f.Declined() {
			continue
		}
		out.Hashes = append(out.Hashes, make([][]rundata.Entry, max(0, f.Table.Hashes()-len(out.Hashes)))...)
		kept := method.Of(f.Method)
		if f.Table.Entries >= 0 && f.Entries > 0 && kept.Words() == 1 {
			out.Counters = append(out.Counters, rundata.Entry{At: uint64(f.Table.Entries), N: uint64(f.Entries)})
		}
		number := f.PathNumbers()
		for i := range f.Paths {
			path := &f.Paths[i]
			count := path.Count
			if least {
				count = path.least(number(path))
			}
			if f.inHash() {
				out.Hashes[f.Table.Hash] = addSparse(out.Hashes[f.Table.Hash], kept, path, count, path.ID, path.ID|runfile.SamplesOf)
			} else {
				at := (f.Table.First + path.ID) * kept.Words()
				out.Counters = addSparse(out.Counters, kept, path, count, at, at+1)
			}
		}
	}
	rundata.SortEntries(out.Counters)
	for _, list := range out.Hashes {
		rundata.SortEntries(list)
	}
}

// least returns how often a path was executed at least, given what is known of it. Windows are not independent, nor are the samples of strata of one
// path, so the margin is a wide one.
func (p *Path) least(n *Number) int64 {
	if n != nil {
		return max(n.Exact, n.Estimate-3*(n.Estimate-n.Low))
	}
	if p.Samples == 0 {
		return p.Count
	}
	return max(0, p.Count-int64(math.Ceil(6*float64(p.Count)/math.Sqrt(float64(p.Samples)))))
}

// addSparse adds the count of a path, and its samples behind it where counts have any.
func addSparse(list []rundata.Entry, kept method.Method, p *Path, count int64, at, samples uint64) []rundata.Entry {
	if count > 0 {
		list = append(list, rundata.Entry{At: at, N: kept.Count(uint64(count))})
	}
	if kept.Words() > 1 && p.Samples > 0 && count > 0 {
		list = append(list, rundata.Entry{At: samples, N: uint64(p.Samples)})
	}
	return list
}
