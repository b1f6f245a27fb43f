// Package pairs reads how often two paths followed each other in one activation: see table.Pairs.
package pairs

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/goprofinstr/goprofinstr/export/profile/internal/sums"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/ssacfg/pathnum"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// A Pair is two paths of a function, of which the second began where the first one had ended.
type Pair struct {
	Before, Path uint64 // numbers of paths
	Count        uint64 // more than 0; an estimate where it is more than Least
	Least        uint64 // how often they were executed for certain, more than 0
}

// Counts are the counts of a function's pairs, as they are in the runs.
type Counts struct {
	Counters []uint64          // of the package; nil if there is no run
	Hash     map[uint64]uint64 // of the function's pairs
	Paths    []uint64          // all paths of the function that were executed
}

// Decode returns the pairs of a function by their numbers. Others is how many executions are known not to be among what is
// certain of these: of pairs for which there was no room, and which were sampled. The error is about counts that cannot be.
func Decode(f *table.Function, d *pathnum.Decoder, c Counts) (list []Pair, others uint64, err error) {
	if !f.Pairs.On() {
		return nil, 0, nil
	}
	r := &reader{f: f, decoder: d, pairs: f.Pairs.Decoder(&f.Values), ends: make(map[uint64]int)}
	if f.Pairs.Storage == table.StorageHash {
		r.fold(c.Paths)
		others, err = r.hash(c.Hash)
	} else if c.Counters != nil {
		err = r.array(c.Counters)
	}
	slices.SortFunc(r.list, func(a, b Pair) int { return cmp.Or(cmp.Compare(a.Before, b.Before), cmp.Compare(a.Path, b.Path)) })
	return r.list, others, err
}

// A reader reads the pairs of a function.
type reader struct {
	f       *table.Function
	decoder *pathnum.Decoder
	pairs   *table.PairDecoder
	ends    map[uint64]int // the block where the next path begins, of paths that were read
	list    []Pair
	folded  map[uint64][]uint64 // executed paths by their folded numbers; nil if pairs have numbers
}

// array adds the pairs that have counters.
func (r *reader) array(counters []uint64) error {
	// The first numbers are those of paths that start at entry, which follow none.
	for number := r.f.Values.Starts[0].Val; number < r.f.Pairs.Numbers(&r.f.Values); number++ {
		n := counters[r.f.Pairs.First+number]
		if err := r.add(number, n, n); err != nil {
			return err
		}
	}
	return nil
}

// hash adds the pairs that a hash table has: see samplePair in package rt.
func (r *reader) hash(counts map[uint64]uint64) (others uint64, err error) {
	others = counts[runfile.OtherPair]
	for _, number := range slices.Sorted(maps.Keys(counts)) {
		if number == runfile.OtherPair {
			continue
		}
		exact, weight := counts[number], uint64(0)
		if pair := number &^ runfile.SampledPair; pair != number {
			if counts[pair] > 0 {
				continue // the two are added up there
			}
			number, exact, weight = pair, 0, exact
		} else {
			weight = counts[number|runfile.SampledPair]
		}
		messages := weight / runfile.PairRate
		if weight%runfile.PairRate > 0 {
			messages++
		}
		if messages > others || exact > math.MaxInt64 || weight > math.MaxInt64 {
			return 0, fmt.Errorf("pair %d has %d samples of %d executions", number, messages, others)
		}
		others -= messages
		if r.folded != nil {
			if !r.unfold(number, exact+weight, exact+messages) {
				err = sums.Add(&others, exact+messages)
			}
		} else {
			err = r.add(number, exact+weight, exact+messages)
		}
		if err != nil {
			return 0, err
		}
	}
	return others, nil
}

// fold folds the numbers of executed paths, if those of pairs are folded.
func (r *reader) fold(paths []uint64) {
	if !r.f.Pairs.Folded {
		return
	}
	r.folded = make(map[uint64][]uint64)
	for _, id := range paths {
		r.folded[runfile.FoldPath(id)] = append(r.folded[runfile.FoldPath(id)], id)
	}
}

// unfold adds a pair of folded paths, as add does. It reports false if there are not just two executed paths of which it may be.
func (r *reader) unfold(number, count, least uint64) bool {
	var found []Pair
	for _, before := range r.folded[number>>runfile.FoldBits-1] {
		for _, path := range r.folded[number%(1<<runfile.FoldBits)] {
			if follows, err := r.follows(before, path); err == nil && follows {
				found = append(found, Pair{before, path, count, least})
			}
		}
	}
	if len(found) != 1 {
		return false
	}
	r.list = append(r.list, found[0])
	return true
}

// add adds a pair that was executed count times, which is an estimate if it is more than least.
func (r *reader) add(number, count, least uint64) error {
	if count == 0 {
		return nil
	}
	before, path, ok := r.pairs.Pair(number)
	if !ok {
		return fmt.Errorf("no pair of paths is number %d", number)
	}
	follows, err := r.follows(before, path)
	if err != nil {
		return fmt.Errorf("pair %d: %w", number, err)
	}
	if !follows {
		return fmt.Errorf("pair %d: path %d does not begin where path %d ends", number, path, before)
	}
	r.list = append(r.list, Pair{before, path, count, least})
	return nil
}

// follows reports whether a path begins where another ends, with a back edge.
func (r *reader) follows(before, path uint64) (bool, error) {
	if _, known := r.ends[before]; !known {
		p, err := r.decoder.Path(before)
		if err != nil {
			return false, err
		}
		last := r.f.Edges[p.Edges[len(p.Edges)-1]]
		if r.ends[before] = -1; last.Back {
			r.ends[before] = last.To
		}
	}
	p, err := r.decoder.Path(path)
	return err == nil && p.Loop && p.Start == r.ends[before], err
}
