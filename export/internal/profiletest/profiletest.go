// Package profiletest makes path tables and run data for the tests of package
// export and the packages beneath it, without a rewriter and a runtime.
//
// It is also the slower truth to test against. [Run.Call] is told the edges of a walk one by one and keeps what was
// executed in the simplest way.
package profiletest

import (
	"fmt"
	"time"

	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/ssacfg/pathnum"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// Package returns the table of a package of functions. Of these all but the
// numbering, Edge.Back and the places of counters must be given; functions with
// Entries -1 get no entry counter.
func Package(path string, functions ...table.Function) *table.Package {
	p := &table.Package{Path: path, Functions: functions}
	for i := range p.Functions {
		f := &p.Functions[i]
		if f.Declined != "" {
			continue
		}
		number(f)
		if f.Entries >= 0 {
			f.Entries = int64(p.Counters)
			p.Counters++
		}
		if f.Storage == table.StorageHash {
			for _, other := range p.Functions[:i] {
				if other.Storage == table.StorageHash {
					f.Hash++
				}
			}
			continue
		}
		f.Storage = table.StorageArray
		f.First = p.Counters
		p.Counters += f.Values.NumPaths
	}
	return p
}

func number(f *table.Function) {
	g := &pathnum.Graph{Blocks: len(f.Blocks), Entry: f.Entry, Exit: f.Exit, Edges: edges(f)}
	n, err := pathnum.New(g, 0)
	if err != nil {
		panic(fmt.Sprintf("%s: %v", f.Name, err))
	}
	f.Values = n.Values
	for i := range f.Edges {
		f.Edges[i].Back = n.Cut[i]
	}
}

func edges(f *table.Function) []pathnum.Edge {
	var list []pathnum.Edge
	for _, e := range f.Edges {
		list = append(list, pathnum.Edge{From: e.From, To: e.To})
	}
	return list
}

// Run is one run of a program of some packages.
type Run struct {
	data   *rundata.Run
	tables []*table.Package

	// Truth is what the calls executed, by function name.
	Truth map[string]*Truth
}

// Truth is what the calls of a function executed.
type Truth struct {
	Calls, Abandoned int64
	Edges            map[int]int64 // executions of each edge, in paths that came to their end
	Blocks           map[int]int64 // executions of each block; the entry block's are Calls plus edges into it
}

// NewRun returns a run without any calls, started at the given second of 2026.
func NewRun(pid, second int, args []string, tables ...*table.Package) *Run {
	r := &Run{tables: tables, Truth: make(map[string]*Truth)}
	start := time.Date(2026, 1, 1, 0, 0, second, 0, time.UTC)
	r.data = &rundata.Run{Pid: pid, Start: start, Args: args}
	for _, t := range tables {
		encoded, err := t.Encode()
		if err != nil {
			panic(err)
		}
		pkg := &rundata.Package{Path: t.Path, Table: encoded, Counters: make([]uint64, t.Counters), Hashes: []map[uint64]uint64{}}
		for _, f := range t.Functions {
			if f.Storage == table.StorageHash {
				pkg.Hashes = append(pkg.Hashes, make(map[uint64]uint64))
			}
		}
		r.data.Packages = append(r.data.Packages, pkg)
	}
	return r
}

// Data returns the run data; changes to it are changes to the run.
func (r *Run) Data() *rundata.Run { return r.data }

// Call records times calls of a function that take the edges of walk. If walk
// does not lead to the exit the activations are abandoned at its end.
func (r *Run) Call(name string, times uint64, walk ...int) {
	f, pkg := r.find(name)
	truth := r.Truth[name]
	if truth == nil {
		truth = &Truth{Edges: make(map[int]int64), Blocks: make(map[int]int64)}
		r.Truth[name] = truth
	}
	if f.Entries >= 0 {
		pkg.Counters[f.Entries] += times
	}
	truth.Calls += int64(times)
	truth.Blocks[f.Entry] += int64(times)

	cut := make([]bool, len(f.Edges))
	for i, e := range f.Edges {
		cut[i] = e.Back
	}
	d, err := pathnum.NewDecoder(len(f.Blocks), f.Entry, f.Exit, edges(f), cut, f.Values)
	if err != nil {
		panic(err)
	}
	path := pathnum.Path{Start: f.Entry}
	for _, id := range walk {
		path.Edges = append(path.Edges, id)
		e := f.Edges[id]
		if !e.Back && e.To != f.Exit {
			continue
		}
		number, err := d.Number(path)
		if err != nil {
			panic(fmt.Sprintf("%s: walk %v: %v", name, walk, err))
		}
		if f.Storage == table.StorageHash {
			pkg.Hashes[f.Hash][number] += times
		} else {
			pkg.Counters[f.First+number] += times
		}
		for _, id := range path.Edges {
			truth.Edges[id] += int64(times)
			truth.Blocks[f.Edges[id].To] += int64(times)
		}
		path = pathnum.Path{Start: e.To, Loop: true}
	}
	if len(walk) == 0 || f.Edges[walk[len(walk)-1]].To != f.Exit {
		truth.Abandoned += int64(times)
	}
}

// find returns the function called name and the counters of its package.
func (r *Run) find(name string) (*table.Function, *rundata.Package) {
	for i, t := range r.tables {
		for j := range t.Functions {
			if t.Functions[j].Name == name {
				return &t.Functions[j], r.data.Packages[i]
			}
		}
	}
	panic("no function " + name)
}
