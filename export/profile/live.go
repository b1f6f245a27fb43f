package profile

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/goprofinstr/goprofinstr/export/profile/internal/method"
	"github.com/goprofinstr/goprofinstr/export/profile/internal/strata"
	"github.com/goprofinstr/goprofinstr/export/profile/internal/sums"
	"github.com/goprofinstr/goprofinstr/export/profile/internal/windows"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/ssacfg/pathnum"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// A Live makes estimates of sampled runs that go on, again and again. It is Tables.Sparse of the profile of such a run, without
// what else a profile has. What does not change from one time to the next is kept: tables, decoders of path numbers, and the
// edges of paths that were executed. So the rest takes time by the paths that are executed, and not by the functions that there
// are. A Live is for one goroutine.
type Live struct {
	tables   *Tables
	packages map[*byte]*livePackage // by the first byte of the table: runs of a build share it
	numbers  map[string]uint64      // by NumberOf, of names
	off      float64
}

// NewLive returns a Live that decodes tables once with others.
func NewLive(tables *Tables) *Live {
	return &Live{tables, make(map[*byte]*livePackage), make(map[string]uint64), 0}
}

// Off returns how far off all estimates may be together that Sparse has returned last: see Profile.Off.
func (l *Live) Off() float64 { return l.off }

// A livePackage has the functions of a package that can be executed.
type livePackage struct {
	err    error // the table cannot be read
	table  *table.Package
	hashes int
	arrays []*liveFunction // those that have counters, by the first of them
	hashed map[int]*liveFunction
	named  []*liveFunction // those that count values that have names
	events []int           // hash tables of values

	entries map[uint64]bool // counters of activations, where counters are executions
}

// A liveFunction is a function whose Paths change.
type liveFunction struct {
	Function
	decoder *pathnum.Decoder // nil until something was executed
	branch  []bool
	known   map[uint64]Path // those that were executed, without counts
	counts  []method.Count
	err     error // its table makes no sense
}

// ErrNotLive is returned for runs of which only a whole profile has estimates.
var ErrNotLive = errors.New("this run has to be read as a whole")

// Sparse returns what a poller, whose Windows or Strata is true, has read of a run, as Tables.Sparse does. It returns
// estimates, and what later samples will hardly take back of them.
func (l *Live) Sparse(r *rundata.Poller) (now, least []rundata.Sparse, err error) {
	l.off = 0
	if r.Strata {
		return l.strata(r)
	}
	counted := newCounted(r.Packages)
	copies := slices.ContainsFunc(r.Packages, func(s rundata.Sparse) bool {
		pkg := l.of(&s)
		return pkg.err == nil && pkg.table.Unknown
	})
	paths, err := windows.Estimate(r.Run.Replicates, r.Run.Controls, counted.of, copies)
	if err != nil {
		return nil, nil, err
	}
	b := &builder{windowed: make(map[pathKey]*windowed)}
	seen := make(map[string][]*windows.Path)
	for i := range paths {
		b.addWindowed(&paths[i])
		seen[paths[i].Package.Path] = append(seen[paths[i].Package.Path], &paths[i])
	}
	clock := newClock()
	for i := range r.Packages {
		s := &r.Packages[i]
		pkg := l.of(s)
		switch {
		case !pkg.has(s, uint64(s.Size)):
			continue // as damaged as in a profile
		case pkg.table.Counts != table.Ticks:
			return nil, nil, ErrNotLive
		}
		executed, err := pkg.executed(s, seen[s.Path], b)
		if err != nil {
			return nil, nil, err
		}
		for _, f := range executed.Functions {
			clock.add(f)
		}
		for _, list := range []*[]rundata.Sparse{&now, &least} {
			out := rundata.Sparse{Path: s.Path, Table: s.Table, Size: s.Size, Hashes: make([][]rundata.Entry, pkg.hashes)}
			executed.addTo(&out, nil, list == &least) // what is sampled has no events
			*list = append(*list, out)
		}
	}
	l.off = clock.off()
	return now, least, nil
}

// NeedsAll reports whether a poll of some packages has to look at all counters, because one that is left out would change what
// others tell. Messages stand for others of their stratum, too, and what was elected is the rest of a path's executions.
func (l *Live) NeedsAll(list []rundata.Sparse) bool {
	return slices.ContainsFunc(list, func(s rundata.Sparse) bool {
		pkg := l.of(&s)
		return pkg.err == nil && (pkg.table.Counts == table.Strata || len(pkg.named) > 0)
	})
}

// has reports whether a package of a run, with so many counters, is one that the table speaks of.
func (pkg *livePackage) has(s *rundata.Sparse, counters uint64) bool {
	return pkg.err == nil && counters == pkg.table.Counters && len(s.Hashes) >= pkg.hashes && pkg.table.Path == s.Path
}

// strata is Sparse for a run whose paths were sampled in strata, if there are no values among its events.
func (l *Live) strata(r *rundata.Poller) (now, least []rundata.Sparse, err error) {
	list := make([]strata.Sparse, len(r.Packages))
	for i := range r.Packages {
		s := &r.Packages[i]
		list[i].Sparse = s
		if pkg := l.of(s); pkg.err == nil && pkg.table.Path == s.Path {
			list[i].Table = pkg.table
			if slices.ContainsFunc(pkg.events, func(hash int) bool { return hash < len(s.Hashes) && len(s.Hashes[hash]) > 0 }) {
				return nil, nil, ErrNotLive
			}
		}
	}
	estimates, err := strata.EstimateSparse(r.Run.Stream, list)
	if err != nil {
		return nil, nil, err
	}
	for i := range estimates {
		s := &estimates[i]
		if pkg := l.of(s); pkg.has(s, uint64(s.Size)) {
			now, least = append(now, pkg.kept(s, false)), append(least, pkg.kept(s, true))
		}
	}
	return now, least, nil
}

// kept returns what a package has of paths and activations; if least is true, what later samples will hardly take back of it.
func (pkg *livePackage) kept(s *rundata.Sparse, least bool) rundata.Sparse {
	out := rundata.Sparse{Path: s.Path, Table: s.Table, Size: s.Size, Hashes: make([][]rundata.Entry, pkg.hashes)}
	words := method.Of(pkg.table.Counts).Words()
	for i := 0; i < len(s.Counters); i++ {
		e := s.Counters[i]
		switch in := pkg.find(livePlace{-1, e.At / words}) != nil; {
		case !in && !pkg.entries[e.At]:
		case words == 1:
			out.Counters = append(out.Counters, e)
		case e.At%2 == 0:
			samples := uint64(0)
			if i+1 < len(s.Counters) && s.Counters[i+1].At == e.At+1 {
				samples = s.Counters[i+1].N
			}
			out.Counters = addEstimate(out.Counters, e, samples, e.At+1, least)
		}
	}
	for hash, f := range pkg.hashed {
		if list := s.Hashes[hash]; method.Of(f.Method).Words() == 1 {
			out.Hashes[hash] = list
		} else {
			out.Hashes[hash] = keptEstimates(list, least)
		}
	}
	return out
}

// keptEstimates is kept for a hash table of estimates, in which their samples have larger numbers.
func keptEstimates(list []rundata.Entry, least bool) (out []rundata.Entry) {
	n := rundata.Search(list, runfile.SamplesOf)
	estimates, rest := list[:n], list[n:]
	for _, e := range estimates {
		for len(rest) > 0 && rest[0].At < e.At|runfile.SamplesOf {
			rest = rest[1:]
		}
		samples := uint64(0)
		if len(rest) > 0 && rest[0].At == e.At|runfile.SamplesOf {
			samples = rest[0].N
		}
		out = addEstimate(out, e, samples, e.At|runfile.SamplesOf, least)
	}
	rundata.SortEntries(out)
	return out
}

// addEstimate adds the estimate of a path and its samples, as profiles have them: what has samples was executed.
func addEstimate(list []rundata.Entry, e rundata.Entry, samples, samplesAt uint64, least bool) []rundata.Entry {
	kept := method.Of(table.Strata)
	if e.N == 0 && samples == 0 {
		return list
	}
	n := int64(max(1, kept.Executions(e.N)))
	if least {
		n = leastOf(n, int64(samples))
	}
	return addSparse(list, kept, n, int64(samples), e.At, samplesAt)
}

// HasPaths reports whether a hash table of a package has counts of paths.
func (l *Live) HasPaths(s *rundata.Sparse, hash int) bool { return l.of(s).hashed[hash] != nil }

// of returns what is known of a package.
func (l *Live) of(s *rundata.Sparse) *livePackage {
	if len(s.Table) == 0 {
		return &livePackage{err: errors.New("no table")}
	}
	if l.packages[&s.Table[0]] == nil {
		l.packages[&s.Table[0]] = newLivePackage(l.tables.decode(s.Table))
	}
	return l.packages[&s.Table[0]]
}

func newLivePackage(t *table.Package, err error) *livePackage {
	if err != nil {
		return &livePackage{err: err}
	}
	pkg := &livePackage{hashes: hashesOf(t), hashed: make(map[int]*liveFunction), entries: make(map[uint64]bool)}
	pkg.table, _ = usable(t)
	for i := range pkg.table.Functions {
		f := &liveFunction{Function: *newFunction(pkg.table, i), known: make(map[uint64]Path)}
		if f.Declined() {
			continue
		}
		for _, of := range f.Table.Selectors {
			if of.Hash >= 0 {
				pkg.events = append(pkg.events, of.Hash)
			}
		}
		if f.Table.Entries >= 0 && method.Of(f.Method).Words() == 1 {
			pkg.entries[uint64(f.Table.Entries)] = true
		}
		if slices.ContainsFunc(f.Table.Selectors, func(s table.Selector) bool { return s.Kind.Named() }) {
			pkg.named = append(pkg.named, f)
		}
		switch {
		case f.inHash():
			pkg.hashed[f.Table.Hash] = f
		default:
			pkg.arrays = append(pkg.arrays, f)
		}
	}
	slices.SortFunc(pkg.arrays, func(a, b *liveFunction) int { return cmp.Compare(a.Table.First, b.Table.First) })
	return pkg
}

// executed returns the functions that were executed, with their paths.
func (pkg *livePackage) executed(s *rundata.Sparse, seen []*windows.Path, b *builder) (*Package, error) {
	functions, err := pkg.count(s, seen)
	if err != nil {
		return nil, err
	}
	out := &Package{Path: s.Path}
	for _, f := range functions {
		err := f.setPaths(&b.budget)
		f.counts = f.counts[:0]
		if err != nil {
			continue // left out, as in a profile
		}
		if len(b.windowed) > 0 {
			f.balance(b.windowed)
		}
		out.Functions = append(out.Functions, &f.Function)
	}
	return out, nil
}

// A livePlace is where a path has its count: its hash table, or -1, and its number there.
type livePlace struct {
	hash   int
	number uint64
}

// count gives functions the counts of their paths, and returns those that have any.
func (pkg *livePackage) count(s *rundata.Sparse, seen []*windows.Path) (functions []*liveFunction, err error) {
	sampled := make(map[livePlace]method.Count) // N is in units of runfile.SampleUnit
	for _, w := range seen {
		c := sampled[livePlace{w.Hash, w.Number}]
		units, err := w.Units()
		if err == nil {
			err = sums.Add(&c.N, units)
		}
		if err != nil {
			return nil, err
		}
		c.Samples += w.Samples
		sampled[livePlace{w.Hash, w.Number}] = c
	}
	add := func(at livePlace, counted uint64) {
		c := sampled[at]
		delete(sampled, at)
		f := pkg.find(at)
		switch {
		case err != nil || f == nil:
			return
		case counted > math.MaxUint64/runfile.SampleUnit:
			err = sums.ErrOverflow
			return
		}
		if err = sums.Add(&c.N, counted*runfile.SampleUnit); c.N == 0 && c.Samples == 0 {
			return
		}
		if c.ID, c.N = at.number, max(1, method.Of(table.Ticks).Executions(c.N)); at.hash < 0 {
			c.ID -= f.Table.First
		}
		if len(f.counts) == 0 {
			functions = append(functions, f)
		}
		f.counts = append(f.counts, c)
	}
	for _, e := range s.Counters {
		if e.At%2 == 0 {
			add(livePlace{-1, e.At / 2}, e.N)
		}
	}
	for hash := range pkg.hashed {
		for _, e := range s.Hashes[hash] {
			add(livePlace{hash, e.At}, e.N)
		}
	}
	for _, w := range seen { // what was never counted
		if at := (livePlace{w.Hash, w.Number}); sampled[at] != (method.Count{}) {
			add(at, 0)
		}
	}
	return functions, err
}

// find returns the function of a path, or nil.
func (pkg *livePackage) find(at livePlace) *liveFunction {
	if at.hash >= 0 {
		return pkg.hashed[at.hash]
	}
	i, ok := slices.BinarySearchFunc(pkg.arrays, at.number, func(f *liveFunction, n uint64) int { return cmp.Compare(f.Table.First, n) })
	if !ok {
		i--
	}
	if i < 0 {
		return nil
	}
	f, n := pkg.arrays[i], pkg.arrays[i].Table.Values.NumPaths
	if f.Copied {
		n++ // for paths that are not known
	}
	if at.number-f.Table.First >= n {
		return nil
	}
	return f
}

// mostKnown bounds how many paths of a function are kept.
const mostKnown = 1 << 16

// setPaths sets the paths by the counts.
func (f *liveFunction) setPaths(b *sums.Budget) error {
	if f.decoder == nil && f.err == nil {
		f.decoder, f.err = newDecoder(f.Table)
		f.branch = f.BranchEdges()
	}
	if f.err != nil {
		return f.err
	}
	if len(f.known) > mostKnown {
		clear(f.known)
	}
	slices.SortFunc(f.counts, func(a, b method.Count) int { return cmp.Compare(a.ID, b.ID) })
	f.Paths = f.Paths[:0]
	counts := f.counts
	if f.Copied {
		var err error
		if counts, err = f.takeUnknown(counts, b); err != nil {
			return err
		}
	}
	for _, c := range counts {
		p, ok := f.known[c.ID]
		if !ok {
			var err error
			if p, err = newPath(f.decoder, c.ID, f.branch); err != nil {
				return err
			}
			f.known[c.ID] = p
		}
		if err := p.set(c, b); err != nil {
			return err
		}
		f.Paths = append(f.Paths, p)
	}
	return nil
}

// countedIn finds the counts of a run.
type countedIn map[string]*rundata.Sparse // by import path

func newCounted(packages []rundata.Sparse) countedIn {
	c := make(countedIn)
	for i := range packages {
		c[packages[i].Path] = &packages[i]
	}
	return c
}

// of returns how often a path was counted.
func (c countedIn) of(at rundata.PathAt) uint64 {
	s := c[at.Package.Path]
	if at.Hash >= 0 {
		return rundata.Find(s.Hashes[at.Hash], at.Number)
	}
	return rundata.Find(s.Counters, 2*at.Number)
}
