package profiletest

import (
	"fmt"

	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/sampler/pcct"
	"github.com/goprofinstr/goprofinstr/ssacfg/pathnum"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// Sampled makes a table that [Package] returned one of a package whose paths are sampled: two counters for each path, and none
// for entries.
func Sampled(p *table.Package) *table.Package {
	p.Counts, p.Counters = table.Ticks, 0
	for i := range p.Functions {
		f := &p.Functions[i]
		f.Entries = -1
		if f.Storage == table.StorageArray {
			f.First = p.Counters / 2
			p.Counters += 2 * f.Values.NumPaths
		}
	}
	return p
}

// Copied is Sampled for a package whose paths are counted by copies of machine code: functions have a counter more, behind
// those of their paths.
func Copied(p *table.Package) *table.Package {
	p.Counts, p.Counters, p.Unknown = table.Ticks, 0, true
	for i := range p.Functions {
		f := &p.Functions[i]
		f.Entries = -1
		if f.Storage == table.StorageArray {
			f.First = p.Counters / 2
			p.Counters += 2 * (f.Values.NumPaths + 1)
		}
	}
	return p
}

// Unknown records that paths of a function were estimated to have been executed so many times that are not known.
func (r *Run) Unknown(name string, times, samples uint64) {
	f, pkg := r.find(name)
	if n := f.Values.NumPaths; f.Storage == table.StorageHash {
		pkg.Hashes[f.Hash][n], pkg.Hashes[f.Hash][n|runfile.SamplesOf] = times*runfile.SampleUnit, samples
	} else {
		at := 2 * (f.First + n)
		pkg.Counters[at], pkg.Counters[at+1] = times*runfile.SampleUnit, samples
	}
}

// Uncounted records that nothing counts a function, for a reason.
func (r *Run) Uncounted(name string, reason int) {
	f, pkg := r.find(name)
	at := rundata.PathAt{Package: pkg, Hash: -1, Number: f.First}
	if f.Storage == table.StorageHash {
		at.Hash, at.Number = f.Hash, 0
	}
	r.data.Uncounted = append(r.data.Uncounted, rundata.Uncounted{PathAt: at, Reason: reason})
}

// Context adds a node to the calling context tree of the run and returns its index.
func (r *Run) Context(n pcct.Node) int {
	if r.data.Contexts == nil {
		r.data.Contexts = new(rundata.Contexts)
	}
	c := r.data.Contexts
	c.Nodes = append(c.Nodes, n)
	return len(c.Nodes) - 1
}

// Sample records that the path along edges was estimated to have been executed so many times, and what was seen of it in
// contexts. Package, Hash and Number of these are set.
func (r *Run) Sample(name string, times, samples uint64, contexts []rundata.ContextPath, edges ...int) {
	f, pkg := r.find(name)
	number := pathNumber(f, edges)
	hash, at := -1, f.First+number
	if f.Storage == table.StorageHash {
		hash, at = f.Hash, number
		pkg.Hashes[hash][at] += times * runfile.SampleUnit
		pkg.Hashes[hash][at|runfile.SamplesOf] += samples
	} else {
		pkg.Counters[2*at] += times * runfile.SampleUnit
		pkg.Counters[2*at+1] += samples
	}
	for _, c := range contexts {
		c.Package, c.Hash, c.Number = pkg, hash, at
		r.data.Contexts.Paths = append(r.data.Contexts.Paths, c)
	}
}

// pathNumber returns the number of a path.
func pathNumber(f *table.Function, walk []int) uint64 {
	cut := make([]bool, len(f.Edges))
	for i, e := range f.Edges {
		cut[i] = e.Back
	}
	d, err := pathnum.NewDecoder(len(f.Blocks), f.Entry, f.Exit, edges(f), cut, f.Values)
	if err != nil {
		panic(err)
	}
	start := f.Edges[walk[0]].From
	number, err := d.Number(pathnum.Path{Start: start, Loop: start != f.Entry, Edges: walk})
	if err != nil {
		panic(fmt.Sprintf("%s: path %v: %v", f.Name, walk, err))
	}
	return number
}

// A Site is a marker at which paths of a function end with an edge.
type Site struct {
	Address  uint64
	Function string
	Register bool // the marker has the path register, and is that of path 0 otherwise
	Frames   []pcct.Frame
	Times    uint64
	Samples  uint64
	Path     []int // edges of the path that ends there, or of which samples were the last
}

// Site records a site. If the marker has the path register, the table must say where paths end: see table.Function.Ends.
func (r *Run) Site(s Site) {
	f, pkg := r.find(s.Function)
	path := rundata.PathAt{Package: pkg, Hash: -1, Number: f.First + pathNumber(f, s.Path)}
	site := rundata.Site{Address: s.Address, Marker: path, Register: s.Register, Frames: s.Frames}
	if s.Register {
		site.Marker.Number = f.First
	}
	if s.Samples > 0 {
		site.Estimate, site.Samples, site.Last = s.Times*runfile.SampleUnit, s.Samples, path
	}
	r.data.Sites = append(r.data.Sites, site)
}
