package tally

import (
	"cmp"
	"math/bits"
	"slices"
	"time"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
)

// A Tracker has the estimates of a sampled run that is polled often. To make estimates takes some milliseconds: factors have to
// be found for windows of each kind. They change little while windows become a few more. So they are made when there are twice as
// many, or after some minutes an eighth more. In between, executions that were not counted grow in proportion to what windows saw
// of them. Of a path that windows had not seen, what was counted is known until then.
//
// The zero value has no estimates yet. It is for one run.
type Tracker struct {
	made     time.Time // when the estimates were made
	windows  uint64    // until then
	off      float64   // how far off they may be together
	packages []trackedPackage
	targets  []*estimate // of what a poller has of windows; nil if that is no part of an estimate

	counted []rundata.Entry // of a list, by number
}

// A trackedPackage has the estimates of a package of the run.
type trackedPackage struct {
	size  rundata.Sparse // what estimates have besides counts; without a table where there are none
	lists []trackedList  // by hash table plus 1: first those of counters
}

// A trackedList has estimates of paths, by number.
type trackedList []*estimate

// An estimate is how often a path was executed, and how often at least, in units of runfile.SampleUnit. Counted and seen are what
// it rests on.
type estimate struct {
	number                    uint64 // of the path
	now, least, counted, seen uint64

	sum, samples uint64 // that windows have seen by now
}

// trackedGrowth is by which part windows may become more before estimates are made anew. A program that runs for a day, and had
// the first windows after a second, has some forty of them.
const trackedGrowth = 8

// trackedPause is the time between estimates, unless there are twice as many windows.
const trackedPause = 5 * time.Minute

// Next returns what a run has counted until a time, that of the poll. It also returns what later samples will hardly take
// back of it, as OfPoller does.
func (t *Tracker) Next(r *rundata.Poller, live *profile.Live, at time.Time) (now, least *Tally, err error) {
	switch {
	case !r.Sampled || !r.Windows:
		return OfPoller(r, live)
	case !t.Due(r, at):
		return t.grown(r, live)
	}
	if now, least, err = OfPoller(r, live); err == nil {
		t.made, t.windows, t.off = at, r.Run.Sampling.Windows, live.Off()
		t.note(r, now, least)
	}
	return now, least, err
}

// Due reports whether Next makes estimates anew. The poll should then have looked at all counters.
func (t *Tracker) Due(r *rundata.Poller, at time.Time) bool {
	if !r.Windows {
		return false
	}
	windows := r.Run.Sampling.Windows
	return t.packages == nil || len(t.packages) != len(r.Packages) || windows > 2*t.windows ||
		windows-t.windows > t.windows/trackedGrowth && at.Sub(t.made) >= trackedPause
}

// note keeps estimates.
func (t *Tracker) note(r *rundata.Poller, now, least *Tally) {
	t.packages, t.targets = make([]trackedPackage, len(r.Packages)), nil
	for i := range r.Packages {
		p := &t.packages[i]
		p.lists = make([]trackedList, 1+len(r.Packages[i].Hashes))
		pkg := now.find(r.Packages[i].Path)
		if pkg == nil {
			continue // it cannot be read
		}
		p.size = *pkg
		eachPath(pkg, func(hash int, e rundata.Entry) { p.of(hash, e.At).now = e.N })
		eachPath(least.find(pkg.Path), func(hash int, e rundata.Entry) { p.of(hash, e.At).least = e.N })
		eachPath(&r.Packages[i], func(hash int, e rundata.Entry) { p.of(hash, e.At).counted = e.N * runfile.SampleUnit })
	}
	t.look(r)
	for _, e := range t.targets {
		if e != nil {
			e.seen = e.sum
		}
	}
}

// of returns the estimate of a path, which is made if there is none.
func (p *trackedPackage) of(hash int, number uint64) *estimate {
	list := &p.lists[hash+1]
	i, ok := slices.BinarySearchFunc(*list, number, func(e *estimate, n uint64) int { return cmp.Compare(e.number, n) })
	if !ok {
		*list = slices.Insert(*list, i, &estimate{number: number})
	}
	return (*list)[i]
}

// look sets what windows have seen of paths, of the level of their sites.
func (t *Tracker) look(r *rundata.Poller) {
	if windows := r.Run.Replicates; len(windows) != len(t.targets) { // else they are of the same paths, for none goes away
		number := make(map[string]int)
		for i := range r.Packages {
			number[r.Packages[i].Path] = i
		}
		t.targets = make([]*estimate, len(windows))
		for i := range windows {
			if w := &windows[i]; w.Of != 0 && w.Of == w.Level {
				t.targets[i] = t.packages[number[w.Package.Path]].of(w.Hash, w.Number)
			}
		}
	}
	for _, e := range t.targets {
		if e != nil {
			e.sum, e.samples = 0, 0
		}
	}
	for i, e := range t.targets {
		if e != nil {
			w := &r.Run.Replicates[i]
			for _, n := range w.Sum {
				e.sum += n
			}
			e.samples += w.Samples
		}
	}
}

// eachPath calls do for the counts of paths, by the number that they have, and not for their samples.
func eachPath(s *rundata.Sparse, do func(hash int, e rundata.Entry)) {
	for hash := -1; hash < len(s.Hashes); hash++ {
		eachPathIn(s, hash, func(e rundata.Entry) { do(hash, e) })
	}
}

// eachPathIn is eachPath for a hash table, or for counters if it is -1.
func eachPathIn(s *rundata.Sparse, hash int, do func(e rundata.Entry)) {
	if hash < 0 {
		for _, e := range s.Counters {
			if e.At%2 == 0 {
				do(rundata.Entry{At: e.At / 2, N: e.N})
			}
		}
		return
	}
	for _, e := range s.Hashes[hash] {
		if e.At < runfile.SamplesOf {
			do(e)
		}
	}
}

// grown returns the estimates with what has been added since they were made.
func (t *Tracker) grown(r *rundata.Poller, live *profile.Live) (now, least *Tally, err error) {
	t.look(r)
	now, least = &Tally{Sampled: true, Sampling: samplingOf(&r.Run, t.off), Lost: r.Run.Lost}, &Tally{Sampled: true, Lost: r.Run.Lost}
	least.Sampling = now.Sampling
	for i := range t.packages {
		p := &t.packages[i]
		if p.size.Table == nil {
			continue
		}
		a, b := empty(&p.size), empty(&p.size)
		for j := range p.lists {
			hash := j - 1
			if hash >= 0 && !live.HasPaths(&p.size, hash) {
				continue
			}
			t.counted = t.counted[:0]
			eachPathIn(&r.Packages[i], hash, func(e rundata.Entry) { t.counted = append(t.counted, e) })
			if err := p.grown(hash, t.counted, &a, &b); err != nil {
				return nil, nil, err
			}
		}
		now.Packages, least.Packages = append(now.Packages, a), append(least.Packages, b)
	}
	now.sort()
	least.sort()
	return now, least, nil
}

// grown adds the estimates of a list to two packages, given what was counted of its paths.
func (p *trackedPackage) grown(hash int, counted []rundata.Entry, now, least *rundata.Sparse) error {
	list := &p.lists[hash+1]
	for i := 0; i < len(*list) || len(counted) > 0; i++ {
		if len(counted) > 0 && (i == len(*list) || counted[0].At < (*list)[i].number) {
			p.of(hash, counted[0].At) // it was counted for the first time since, and comes next
		}
		e, n := (*list)[i], uint64(0)
		if len(counted) > 0 && counted[0].At == e.number {
			n, counted = counted[0].N, counted[1:]
		}
		estimate, err := e.grown(e.now, n)
		if err != nil {
			return err
		}
		sure, err := e.grown(e.least, n)
		if err != nil {
			return err
		}
		appendPath(now, hash, e, estimate)
		appendPath(least, hash, e, sure)
	}
	if hash >= 0 {
		rundata.SortEntries(now.Hashes[hash])
		rundata.SortEntries(least.Hashes[hash])
	}
	return nil
}

// grown returns an estimate that was made of so much, now that so many executions were counted and so much was seen.
func (e *estimate) grown(made, counted uint64) (uint64, error) {
	if counted > (1<<64-1)/runfile.SampleUnit {
		return 0, ErrOverflow
	}
	counted *= runfile.SampleUnit
	rest := made - min(made, e.counted)
	if e.seen > 0 && e.sum > e.seen {
		hi, lo := bits.Mul64(rest, e.sum)
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
	e := *s
	e.Counters, e.Hashes = nil, make([][]rundata.Entry, len(s.Hashes))
	return e
}

// appendPath appends an estimate of so many executions, and its samples.
func appendPath(s *rundata.Sparse, hash int, e *estimate, n uint64) {
	if n == 0 {
		return
	}
	list, first, second := &s.Counters, 2*e.number, 2*e.number+1
	if hash >= 0 {
		list, first, second = &s.Hashes[hash], e.number, e.number|runfile.SamplesOf
	}
	if *list = append(*list, rundata.Entry{At: first, N: n}); e.samples > 0 {
		*list = append(*list, rundata.Entry{At: second, N: e.samples})
	}
}
