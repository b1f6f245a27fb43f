package profile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/export/profile/internal/method"
	"github.com/goprofinstr/goprofinstr/export/profile/internal/sums"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/sampler/pcct"
	"github.com/goprofinstr/goprofinstr/ssacfg/pathnum"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// A Program is an executable with native probes.
type Program struct {
	Name  string // of the file, "" if it is not known
	Sites []Site // by address
}

// A Site is a copy of a marker in the text of a program. AUDIT section 8 has markers tell where code of the source is
// in the optimised binary.
type Site struct {
	Address  uint64
	Function *Function
	Ends     []int // edges that paths may end with there, only one if that is known; nil if nothing is

	// Frames are the functions that are there, innermost first: all but the last have been inlined. nil if they are not
	// known.
	Frames []pcct.Frame

	Count   int64 // paths that ended there
	Samples int64 // that Count is estimated from
	Sampled bool  // it was sampled, some time: paths may have ended there and not be counted
}

// programs puts the sites of runs together. Runs whose sites are the same are runs of the same program.
type programs struct {
	list  []*program
	known map[string]*program
	total sums.Total // of all numbers in it

	sampled []rundata.PathAt // path 0 of functions that were sampled
}

type program struct {
	name  string
	sites []rundata.Site
}

// add adds what a run has, all of it or, if there is an error, nothing.
func (ps *programs) add(run *rundata.Run) error {
	ps.sampled = append(ps.sampled, run.Sampled...)
	if len(run.Sites) == 0 {
		return nil
	}
	after := ps.total
	var key strings.Builder
	for _, s := range run.Sites {
		if err := after.Add(s.Estimate, s.Samples); err != nil {
			return err
		}
		fmt.Fprintln(&key, s.Address, s.Marker.Package.Path, s.Marker.Hash, s.Marker.Number)
	}
	ps.total = after
	p := ps.known[key.String()]
	if p == nil {
		p = &program{sites: slices.Clone(run.Sites)}
		p.name = rundata.Program(run.Args)
		ps.known[key.String()] = p
		ps.list = append(ps.list, p)
		return nil
	}
	for i, s := range run.Sites {
		sum := &p.sites[i]
		if sum.Frames == nil {
			sum.Frames = s.Frames
		}
		if s.Estimate > 0 {
			sum.Last = s.Last
		}
		sum.Sampled = sum.Sampled || s.Sampled
		sum.Estimate, sum.Samples = sum.Estimate+s.Estimate, sum.Samples+s.Samples
	}
	return nil
}

// finish returns the programs, with what the sites are in functions. Sites of functions that are left out are
// left out with them.
func (ps *programs) finish(to *Profile) []Program {
	finder := &finder{newCounters(to.Functions()), make(map[*Function]*pathnum.Decoder)}
	for _, at := range ps.sampled {
		if f, _ := finder.find(at); f != nil {
			f.missAll()
		}
	}
	for _, f := range to.Functions() {
		if f.Unknown > 0 { // any path may be one of those
			f.missAll()
		}
	}
	var list []Program
	for _, p := range ps.list {
		out := Program{Name: p.name}
		for _, s := range p.sites {
			if site, ok := finder.site(&s); ok {
				out.Sites = append(out.Sites, site)
				site.Function.addSite(&site)
			}
		}
		if n := len(p.sites) - len(out.Sites); n > 0 {
			to.damage(Probes, p.name, fmt.Errorf("%d of %d are of no path of a function that can be read", n, len(p.sites)))
		}
		list = append(list, out)
	}
	slices.SortStableFunc(list, func(a, b Program) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// addSite notes at what edges paths of f may have ended without being counted.
func (f *Function) addSite(s *Site) {
	if !s.Sampled {
		return
	}
	if len(s.Ends) == 0 { // it is not known which
		f.missAll()
	}
	if f.Missed == nil {
		f.Missed = make([]bool, len(f.Table.Edges))
	}
	for _, e := range s.Ends {
		f.Missed[e] = true
	}
}

// missAll notes that paths of f may have ended at any edge without being counted.
func (f *Function) missAll() {
	f.Missed = slices.Repeat([]bool{true}, len(f.Table.Edges))
}

// A finder finds out what a site is.
type finder struct {
	*counters
	decoders map[*Function]*pathnum.Decoder
}

// site returns what a site is; false if it is of nothing that the profile has.
func (fd *finder) site(s *rundata.Site) (site Site, ok bool) {
	f, id := fd.find(s.Marker)
	if f == nil {
		return Site{}, false
	}
	site = Site{Address: s.Address, Function: f, Frames: s.Frames, Sampled: s.Sampled}
	if s.Estimate > 0 {
		site.Count, site.Samples = int64(max(1, method.Of(table.Ticks).Executions(s.Estimate))), int64(s.Samples)
	}
	switch last, path := fd.find(s.Last); {
	case s.Estimate > 0 && last == f:
		id = path
	case s.Register:
		site.Ends = f.Table.EndsOf(id)
		return site, true
	}
	path, err := fd.decoder(f).Path(id)
	if err != nil {
		return Site{}, false
	}
	site.Ends = path.Edges[len(path.Edges)-1:]
	return site, true
}

// decoder returns the decoder of f's path numbers, of which it is known that there is one.
func (fd *finder) decoder(f *Function) *pathnum.Decoder {
	if fd.decoders[f] == nil {
		d, err := newDecoder(f.Table)
		if err != nil {
			panic(fmt.Sprintf("BUG: %s has been decoded before: %v", f.Table.Name, err))
		}
		fd.decoders[f] = d
	}
	return fd.decoders[f]
}
