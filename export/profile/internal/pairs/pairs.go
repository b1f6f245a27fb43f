// Package pairs reads how often two paths followed each other in one activation: see table.Pairs.
package pairs

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

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
}

// Decode returns the pairs of a function by their numbers. Others is how many executions are known not to be among what is certain of
// these: of pairs for which there was no room, and which were sampled. The error is about counts that cannot be.
func Decode(f *table.Function, d *pathnum.Decoder, c Counts) (list []Pair, others uint64, err error) {
	if !f.Pairs.On() {
		return nil, 0, nil
	}
	r := &reader{f: f, decoder: d, pairs: f.Pairs.Decoder(&f.Values), ends: make(map[uint64]int)}
	if f.Pairs.Storage == table.StorageHash {
		return r.hash(c.Hash)
	}
	if c.Counters == nil {
		return nil, 0, nil
	}
	// The first numbers are those of paths that start at entry, which follow none.
	for number := f.Values.Starts[0].Val; number < f.Pairs.Numbers(&f.Values); number++ {
		n := c.Counters[f.Pairs.First+number]
		if err := r.add(number, n, n); err != nil {
			return nil, 0, err
		}
	}
	slices.SortFunc(r.list, func(a, b Pair) int { return cmp.Or(cmp.Compare(a.Before, b.Before), cmp.Compare(a.Path, b.Path)) })
	return r.list, 0, nil
}

// A reader reads the pairs of a function.
type reader struct {
	f       *table.Function
	decoder *pathnum.Decoder
	pairs   *table.PairDecoder
	ends    map[uint64]int // the block where the next path begins, of paths that were read
	list    []Pair
}

// hash returns the pairs that a hash table has: see samplePair in package rt.
func (r *reader) hash(counts map[uint64]uint64) (list []Pair, others uint64, err error) {
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
			return nil, 0, fmt.Errorf("pair %d has %d samples of %d executions", number, messages, others)
		}
		others -= messages
		if err := r.add(number, exact+weight, exact+messages); err != nil {
			return nil, 0, err
		}
	}
	return r.list, others, nil
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
	if _, known := r.ends[before]; !known {
		p, err := r.decoder.Path(before)
		if err != nil {
			return fmt.Errorf("pair %d: %w", number, err)
		}
		last := r.f.Edges[p.Edges[len(p.Edges)-1]]
		if r.ends[before] = -1; last.Back {
			r.ends[before] = last.To
		}
	}
	p, err := r.decoder.Path(path)
	if err != nil {
		return fmt.Errorf("pair %d: %w", number, err)
	}
	if !p.Loop || p.Start != r.ends[before] {
		return fmt.Errorf("pair %d: path %d does not begin where path %d ends", number, path, before)
	}
	r.list = append(r.list, Pair{before, path, count, least})
	return nil
}
