package tally

import (
	"bytes"
	"cmp"
	"errors"
	"maps"
	"math/bits"
	"slices"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/rt/event"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
)

// A Tally is how often paths were executed, by package.
type Tally struct {
	Packages []rundata.Sparse  // by import path; each has one table
	Names    map[uint64]string // of values of events that have names, by profile.NumberOf; nil if there are none
	Lost     uint64            // executions that were not counted, for want of room

	Sampled  bool      // some of the counts are estimates
	Sampling *Sampling // how they came about; nil if that is not known of all of them

	// Contexts are calling contexts of runs, if they are wanted: ContextsSince makes them. Of and Sub have none.
	Contexts []*rundata.Contexts
}

// ErrBuilds is returned for tallies of different builds of a package, whose numbers mean different paths.
var ErrBuilds = errors.New("counts of different builds of a package")

// ErrOverflow is returned for counts whose sum has more than 64 bits.
var ErrOverflow = errors.New("counts that are too large to be added up")

// Of returns the tally of a run all of whose counts are executions, and none of which are of values that have names.
func Of(run *rundata.Run) *Tally { return OfRun(run, sparse(run), nil) }

func sparse(run *rundata.Run) (list []rundata.Sparse) {
	for _, p := range run.Packages {
		list = append(list, p.Sparse())
	}
	return list
}

// OfSparse is Of for packages that are sparse already, with the names of values by profile.NumberOf.
func OfSparse(packages []rundata.Sparse, names map[uint64]string, lost uint64) *Tally {
	t := &Tally{Packages: slices.Clone(packages), Names: names, Lost: lost}
	t.sort()
	return t
}

// OfRun is OfSparse for the packages of a run, with the functions of it that nothing can count.
func OfRun(run *rundata.Run, packages []rundata.Sparse, names map[uint64]string) *Tally {
	t := OfSparse(packages, names, run.Lost)
	t.setUncounted(run)
	return t
}

// OfAny returns the tally of a run, with estimates where not all of its counts are executions.
func OfAny(run *rundata.Run, tables *profile.Tables) (*Tally, error) {
	now, _, err := OfLive(run, tables)
	return now, err
}

// OfLive is OfAny for a run that goes on. Least is what later samples will hardly take back: the tally itself where nothing is
// estimated.
func OfLive(run *rundata.Run, tables *profile.Tables) (now, least *Tally, err error) {
	if run.Sampling == nil && run.Stream == nil {
		packages, names := tables.Named(sparse(run), run.Names)
		now = OfRun(run, packages, names)
		return now, now, nil
	}
	p, err := tables.New([]*rundata.Run{run}, nil)
	if err != nil {
		return nil, nil, err
	}
	return OfProfile(p, run, tables, false), OfProfile(p, run, tables, true), nil
}

// OfPoller is OfLive for a run that was polled, if the poller has all that it needs, and no values have names. Else the error is
// [profile.ErrNotLive].
func OfPoller(r *rundata.Poller, live *profile.Live) (now, least *Tally, err error) {
	switch {
	case !r.Sampled:
		now = OfRun(&r.Run, r.Packages, nil)
		return now, now, nil
	case !r.Windows && !r.Strata:
		return nil, nil, profile.ErrNotLive
	}
	pkgs, certain, err := live.Sparse(r)
	if err != nil {
		return nil, nil, err
	}
	now, least = OfRun(&r.Run, pkgs, nil), OfRun(&r.Run, certain, nil)
	now.Sampled, least.Sampled = true, true
	now.Sampling = samplingOf(&r.Run, live.Off())
	least.Sampling = now.Sampling
	return now, least, nil
}

// OfProfile returns what a profile of a run says of each path; if least is true, what later samples will hardly take back of it.
func OfProfile(p *profile.Profile, run *rundata.Run, tables *profile.Tables, least bool) *Tally {
	packages, names := tables.Sparse(p, run, least)
	t := OfRun(run, packages, names)
	t.Sampled, t.Sampling = true, samplingOf(run, p.Off())
	return t
}

func (t *Tally) sort() {
	slices.SortFunc(t.Packages, func(a, b rundata.Sparse) int { return cmp.Compare(a.Path, b.Path) })
}

// find returns the package of an import path, or nil.
func (t *Tally) find(path string) *rundata.Sparse {
	i, ok := slices.BinarySearchFunc(t.Packages, path, func(p rundata.Sparse, path string) int { return cmp.Compare(p.Path, path) })
	if !ok {
		return nil
	}
	return &t.Packages[i]
}

// Agrees reports whether u can be added: no package of both has different tables.
func (t *Tally) Agrees(u *Tally) bool {
	for i := range u.Packages {
		if p := t.find(u.Packages[i].Path); p != nil && !sameTable(p, &u.Packages[i]) {
			return false
		}
	}
	return true
}

func sameTable(a, b *rundata.Sparse) bool {
	return a.Size == b.Size && len(a.Hashes) == len(b.Hashes) && bytes.Equal(a.Table, b.Table)
}

// Add adds the counts of u, all of them or, if there is an error, none. What nothing could count in both is not counted.
func (t *Tally) Add(u *Tally) error { return t.add(u, common) }

// AddTables is Add where one of the two has tables alone, and no process. What nothing could count in the other is not counted.
func (t *Tally) AddTables(u *Tally) error {
	return t.add(u, func(a, b []rundata.Entry) []rundata.Entry {
		if a == nil {
			return b
		}
		return a
	})
}

// add is Add for some choice of the functions of a package that are not counted, of those of t and u.
func (t *Tally) add(u *Tally, uncounted func(t, u []rundata.Entry) []rundata.Entry) error {
	if !t.Agrees(u) {
		return ErrBuilds
	}
	sum := &Tally{
		Packages: slices.Clone(t.Packages), Names: bothNames(t.Names, u.Names), Lost: t.Lost + u.Lost, Contexts: t.Contexts,
		Sampled: t.Sampled || u.Sampled, Sampling: bothSamplings(t, u),
	}
	sum.Contexts = append(slices.Clip(sum.Contexts), u.Contexts...)
	for _, p := range u.Packages {
		known := sum.find(p.Path)
		if known == nil {
			sum.Packages = append(sum.Packages, p)
			sum.sort()
			continue
		}
		var err error
		both := uncounted(known.Uncounted, p.Uncounted)
		*known, err = combine(known, &p, add)
		if err != nil {
			return err
		}
		known.Uncounted = both
	}
	*t = *sum
	return nil
}

// bothNames returns the names of two tallies. Maps of names do not change, since tallies share them.
func bothNames(a, b map[uint64]string) map[uint64]string {
	if len(a) < len(b) {
		a, b = b, a
	}
	var both map[uint64]string
	for number, name := range b {
		if _, ok := a[number]; ok {
			continue
		}
		if both == nil {
			both = maps.Clone(a)
		}
		both[number] = name
	}
	if both == nil {
		return a
	}
	return both
}

func add(a, b uint64) (uint64, error) {
	n, carry := bits.Add64(a, b, 0)
	if carry != 0 {
		return 0, ErrOverflow
	}
	return n, nil
}

// Sub returns what has been counted since before, an earlier tally of the same run or runs. Estimates that have become less
// count as unchanged.
func (t *Tally) Sub(before *Tally) (*Tally, error) {
	if !t.Agrees(before) {
		return nil, ErrBuilds
	}
	since := &Tally{
		Names: t.Names, Lost: t.Lost - min(t.Lost, before.Lost), Sampled: t.Sampled, Sampling: t.Sampling.since(before),
	}
	for _, p := range t.Packages {
		if old := before.find(p.Path); old != nil {
			p, _ = combine(&p, old, func(a, b uint64) (uint64, error) { return a - min(a, b), nil })
		}
		since.Packages = append(since.Packages, p)
	}
	return since, nil
}

// IsZero reports whether nothing was counted.
func (t *Tally) IsZero() bool {
	for i := range t.Packages {
		p := &t.Packages[i]
		if len(p.Counters) > 0 || slices.ContainsFunc(p.Hashes, func(list []rundata.Entry) bool { return len(list) > 0 }) {
			return false
		}
	}
	return true
}

// combine returns the package with counts of a and b made one. The lists of a and b stay as they are.
func combine(a, b *rundata.Sparse, op func(a, b uint64) (uint64, error)) (out rundata.Sparse, err error) {
	out = *a
	if out.Counters, err = combineLists(a.Counters, b.Counters, op); err != nil {
		return out, err
	}
	out.Hashes = make([][]rundata.Entry, len(a.Hashes))
	for i := range out.Hashes {
		if out.Hashes[i], err = combineLists(a.Hashes[i], b.Hashes[i], op); err != nil {
			return out, err
		}
	}
	return out, nil
}

// combineLists merges two lists that are sorted.
func combineLists(a, b []rundata.Entry, op func(a, b uint64) (uint64, error)) (out []rundata.Entry, err error) {
	if len(b) == 0 {
		return a, nil
	}
	out = make([]rundata.Entry, 0, max(len(a), len(b)))
	for len(a) > 0 || len(b) > 0 {
		var e rundata.Entry
		var x, y uint64
		switch {
		case len(b) == 0 || len(a) > 0 && a[0].At < b[0].At:
			e.At, x, a = a[0].At, a[0].N, a[1:]
		case len(a) == 0 || b[0].At < a[0].At:
			e.At, y, b = b[0].At, b[0].N, b[1:]
		default:
			e.At, x, y, a, b = a[0].At, a[0].N, b[0].N, a[1:], b[1:]
		}
		if e.N, err = op(x, y); err != nil {
			return nil, err
		}
		if e.N != 0 {
			out = append(out, e)
		}
	}
	return out, nil
}

// Profile returns the profile of what was counted. The tables of earlier calls are not decoded again.
func (t *Tally) Profile(tables *profile.Tables) (*profile.Profile, error) {
	runs := []*rundata.Run{t.Run()}
	ticks, stream := t.Sampling.Of()
	runs[0].Sampling = ticks
	for _, c := range t.Contexts {
		runs = append(runs, &rundata.Run{Contexts: c})
	}
	var p *profile.Profile
	var err error
	if len(t.Contexts) > 0 {
		p, err = tables.NewSince(runs)
	} else {
		p, err = tables.New(runs, nil)
	}
	if err != nil {
		return nil, err
	}
	p.Runs[0].Stream = stream // what is of strata has become estimates
	return p, nil
}

// HasNothing reports whether nothing was counted, and no time spent.
func (t *Tally) HasNothing() bool { return t.IsZero() && len(t.Contexts) == 0 }

// Run returns a run with the counts, and without contexts. Values whose names are not known become one, which is called "?",
// since there is one name at least.
func (t *Tally) Run() *rundata.Run {
	run := &rundata.Run{Lost: t.Lost, Names: map[uint64]rundata.Name{event.OtherValue: {}}}
	for number, name := range t.Names {
		run.Names[number] = rundata.Name{Text: name}
	}
	for i := range t.Packages {
		run.Packages = append(run.Packages, t.Packages[i].Dense())
		run.Uncounted = append(run.Uncounted, uncounted(&t.Packages[i], run.Packages[i])...)
	}
	return run
}
