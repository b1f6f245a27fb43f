package profile

import (
	"slices"

	"github.com/goprofinstr/goprofinstr/export/profile/internal/method"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// Sparse returns what p, the profile of one run, says of each path, estimates among them, in the form in which a run has counts. A run
// with these counts has the paths of p with their counts and samples, and the entries of its functions. Of all else that
// p has, such as activations that were abandoned, intervals, events and contexts, it has nothing.
func (t *Tables) Sparse(p *Profile, run *rundata.Run) (list []rundata.Sparse) {
	tables := make(map[string][]byte)
	for _, pkg := range run.Packages {
		tables[pkg.Path] = pkg.Table
	}
	for _, pkg := range p.Packages {
		if decoded, err := t.decode(tables[pkg.Path]); err == nil {
			s := rundata.Sparse{Path: pkg.Path, Table: tables[pkg.Path], Size: int(decoded.Counters)}
			pkg.addTo(&s)
			list = append(list, s)
		}
	}
	return list
}

func (pkg *Package) addTo(out *rundata.Sparse) {
	for _, f := range pkg.Functions {
		if f.Declined() {
			continue
		}
		out.Hashes = append(out.Hashes, make([][]rundata.Entry, max(0, f.Table.Hashes()-len(out.Hashes)))...)
		kept := method.Of(f.Method)
		if f.Table.Entries >= 0 && f.Entries > 0 && kept.Words() == 1 {
			out.Counters = append(out.Counters, rundata.Entry{At: uint64(f.Table.Entries), N: uint64(f.Entries)})
		}
		for i := range f.Paths {
			path := &f.Paths[i]
			if f.inHash() {
				out.Hashes[f.Table.Hash] = addSparse(out.Hashes[f.Table.Hash], kept, path, path.ID, path.ID|runfile.SamplesOf)
			} else {
				at := (f.Table.First + path.ID) * kept.Words()
				out.Counters = addSparse(out.Counters, kept, path, at, at+1)
			}
		}
	}
	sortEntries(out.Counters)
	for _, list := range out.Hashes {
		sortEntries(list)
	}
}

// addSparse adds the count of a path, and its samples behind it where counts have any.
func addSparse(list []rundata.Entry, kept method.Method, p *Path, count, samples uint64) []rundata.Entry {
	list = append(list, rundata.Entry{At: count, N: kept.Count(uint64(p.Count))})
	if kept.Words() > 1 && p.Samples > 0 {
		list = append(list, rundata.Entry{At: samples, N: uint64(p.Samples)})
	}
	return list
}

func sortEntries(list []rundata.Entry) {
	slices.SortFunc(list, func(a, b rundata.Entry) int {
		switch {
		case a.At < b.At:
			return -1
		case a.At > b.At:
			return 1
		}
		return 0
	})
}

// AreExecutions reports whether all counts of a run with this table are executions, and not estimates or what these are made of.
func AreExecutions(t *table.Package) bool {
	return !slices.ContainsFunc(t.Methods(), func(m table.Method) bool { return m != table.Exact })
}
