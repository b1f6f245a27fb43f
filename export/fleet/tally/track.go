package tally

import (
	"errors"
	"math/bits"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
)

// A Tracker has the estimates of a sampled run that is polled often. To make estimates takes some milliseconds: factors have to
// be found for windows of each kind. They change little while windows become a few more. So they are made when there are an
// eighth more, and in between executions that were not counted grow in proportion to what windows saw of them. Of a path that
// windows had not seen, what was counted is known until then.
//
// The zero value has no estimates yet. It is for one run.
type Tracker struct {
	windows  uint64 // when the estimates were made
	packages int
	sizes    []rundata.Sparse // by package: what estimates have besides counts; without a table where there are none
	paths    map[place]*estimate
	round    int
}

// A place is where a path has its count: the package's number in the run, its hash table or -1, and its number there.
type place struct {
	pkg, hash int
	number    uint64
}

// An estimate is how often a path was executed, and how often at least, in units of runfile.SampleUnit. Counted and seen are what
// it rests on.
type estimate struct {
	now, least, counted, seen uint64
	round                     int // when it was used last
}

// trackedGrowth is by which part windows may become more before estimates are made anew. A program that runs for a day, and had
// the first windows after a second, has a hundred of them.
const trackedGrowth = 8

// Next returns what a run has counted by now, and what later samples will hardly take back of it, as OfPoller does.
func (t *Tracker) Next(r *rundata.Poller, live *profile.Live) (now, least *Tally, err error) {
	if !r.Sampled || !r.Windows {
		return OfPoller(r, live)
	}
	windows := r.Run.Sampling.Windows
	if t.paths == nil || t.packages != len(r.Packages) || windows-t.windows > t.windows/trackedGrowth {
		if now, least, err = OfPoller(r, live); err == nil {
			t.windows, t.packages = windows, len(r.Packages)
			t.note(r, now, least)
		}
		return now, least, err
	}
	return t.grown(r, live)
}

// note keeps estimates.
func (t *Tracker) note(r *rundata.Poller, now, least *Tally) {
	t.paths, t.sizes = make(map[place]*estimate), make([]rundata.Sparse, len(r.Packages))
	of := func(at place) *estimate {
		if t.paths[at] == nil {
			t.paths[at] = new(estimate)
		}
		return t.paths[at]
	}
	for i := range r.Packages {
		pkg := now.find(r.Packages[i].Path)
		if pkg == nil {
			continue // it cannot be read
		}
		t.sizes[i] = *pkg
		eachPath(pkg, func(hash int, e rundata.Entry) { of(place{i, hash, e.At}).now = e.N })
		eachPath(least.find(pkg.Path), func(hash int, e rundata.Entry) { of(place{i, hash, e.At}).least = e.N })
		eachPath(&r.Packages[i], func(hash int, e rundata.Entry) {
			if known := t.paths[place{i, hash, e.At}]; known != nil {
				known.counted = e.N * runfile.SampleUnit
			}
		})
	}
	for at, s := range sightsOf(r) {
		if known := t.paths[at]; known != nil {
			known.seen = s.sum
		}
	}
}

// eachPath calls do for the counts of paths, by the number that they have, and not for their samples.
func eachPath(s *rundata.Sparse, do func(hash int, e rundata.Entry)) {
	for _, e := range s.Counters {
		if e.At%2 == 0 {
			do(-1, rundata.Entry{At: e.At / 2, N: e.N})
		}
	}
	for hash, list := range s.Hashes {
		for _, e := range list {
			if e.At < runfile.SamplesOf {
				do(hash, e)
			}
		}
	}
}

// A sights is what windows saw of a path.
type sights struct{ sum, samples uint64 }

// sightsOf returns what windows saw of paths, of the level of their sites.
func sightsOf(r *rundata.Poller) map[place]sights {
	number := make(map[string]int)
	for i := range r.Packages {
		number[r.Packages[i].Path] = i
	}
	all := make(map[place]sights, len(r.Run.Replicates))
	for i := range r.Run.Replicates {
		w := &r.Run.Replicates[i]
		if w.Of == 0 || w.Of != w.Level {
			continue
		}
		at := place{number[w.Package.Path], w.Hash, w.Number}
		s := all[at]
		for _, n := range w.Sum {
			s.sum += n
		}
		s.samples += w.Samples
		all[at] = s
	}
	return all
}

// grown returns the estimates with what has been added since they were made.
func (t *Tracker) grown(r *rundata.Poller, live *profile.Live) (now, least *Tally, err error) {
	seen := sightsOf(r)
	t.round++
	now, least = &Tally{Sampled: true, Sampling: samplingOf(&r.Run), Lost: r.Run.Lost}, &Tally{Sampled: true, Lost: r.Run.Lost}
	least.Sampling = now.Sampling
	for i := range t.sizes {
		now.Packages, least.Packages = append(now.Packages, empty(&t.sizes[i])), append(least.Packages, empty(&t.sizes[i]))
	}
	add := func(at place, counted uint64) {
		e := t.paths[at]
		if e == nil {
			e = new(estimate) // it was counted for the first time since
			t.paths[at] = e
		}
		e.round = t.round
		s := seen[at]
		n, err1 := e.grown(e.now, counted, s.sum)
		sure, err2 := e.grown(e.least, counted, s.sum)
		if err = errors.Join(err, err1, err2); err == nil {
			appendPath(&now.Packages[at.pkg], at, n, s.samples)
			appendPath(&least.Packages[at.pkg], at, sure, s.samples)
		}
	}
	for i := range t.sizes {
		if t.sizes[i].Table != nil {
			eachPath(&r.Packages[i], func(hash int, e rundata.Entry) {
				if hash < 0 || live.HasPaths(&t.sizes[i], hash) {
					add(place{i, hash, e.At}, e.N)
				}
			})
		}
	}
	for at, e := range t.paths {
		if e.round != t.round {
			add(at, 0) // it was never counted
		}
	}
	if err != nil {
		return nil, nil, err
	}
	now.settle()
	least.settle()
	return now, least, nil
}

// grown returns an estimate that was made of so much, now that so many executions were counted and so much was seen.
func (e *estimate) grown(made, counted, seen uint64) (uint64, error) {
	if counted > (1<<64-1)/runfile.SampleUnit {
		return 0, ErrOverflow
	}
	counted *= runfile.SampleUnit
	rest := made - min(made, e.counted)
	if e.seen > 0 && seen > e.seen {
		hi, lo := bits.Mul64(rest, seen)
		if hi >= e.seen {
			return 0, ErrOverflow
		}
		rest, _ = bits.Div64(hi, lo, e.seen)
		rest -= rest % runfile.SampleUnit // whole executions, as estimates are
	}
	return add(counted, rest)
}

// empty returns a package without counts.
func empty(s *rundata.Sparse) rundata.Sparse {
	return rundata.Sparse{Path: s.Path, Table: s.Table, Size: s.Size, Hashes: make([][]rundata.Entry, len(s.Hashes))}
}

// appendPath appends an estimate and its samples.
func appendPath(s *rundata.Sparse, at place, n, samples uint64) {
	if n == 0 {
		return
	}
	list, first, second := &s.Counters, 2*at.number, 2*at.number+1
	if at.hash >= 0 {
		list, first, second = &s.Hashes[at.hash], at.number, at.number|runfile.SamplesOf
	}
	if *list = append(*list, rundata.Entry{At: first, N: n}); samples > 0 {
		*list = append(*list, rundata.Entry{At: second, N: samples})
	}
}

// settle puts all in order, and leaves packages out that cannot be read.
func (t *Tally) settle() {
	kept := t.Packages[:0]
	for _, s := range t.Packages {
		if s.Table == nil {
			continue
		}
		rundata.SortEntries(s.Counters)
		for _, list := range s.Hashes {
			rundata.SortEntries(list)
		}
		kept = append(kept, s)
	}
	t.Packages = kept
	t.sort()
}
