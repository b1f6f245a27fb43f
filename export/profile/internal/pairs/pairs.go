// Package pairs reads how often two paths followed each other in one activation: see table.Pairs.
package pairs

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/ssacfg/pathnum"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// A Pair is two paths of a function, of which the second began where the first one had ended.
type Pair struct {
	Before, Path uint64 // numbers of paths
	Count        uint64 // more than 0
}

// Counts are the counts of a function's pairs, as they are in the runs.
type Counts struct {
	Counters []uint64          // of the package; nil if there is no run
	Hash     map[uint64]uint64 // of the function's pairs
}

// Decode returns the pairs of a function by their numbers, and how often others were executed for which there was no room. The
// error is about counts that cannot be.
func Decode(f *table.Function, d *pathnum.Decoder, c Counts) (list []Pair, others uint64, err error) {
	if !f.Pairs.On() {
		return nil, 0, nil
	}
	r := &reader{f: f, decoder: d, pairs: f.Pairs.Decoder(&f.Values), ends: make(map[uint64]int)}
	if f.Pairs.Storage == table.StorageHash {
		for _, number := range slices.Sorted(maps.Keys(c.Hash)) {
			if number == runfile.OtherPair {
				others = c.Hash[number]
			} else if err := r.add(number, c.Hash[number]); err != nil {
				return nil, 0, err
			}
		}
		return r.list, others, nil
	}
	if c.Counters == nil {
		return nil, 0, nil
	}
	// The first numbers are those of paths that start at entry, which follow none.
	for number := f.Values.Starts[0].Val; number < f.Pairs.Numbers(&f.Values); number++ {
		if err := r.add(number, c.Counters[f.Pairs.First+number]); err != nil {
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

func (r *reader) add(number, count uint64) error {
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
	r.list = append(r.list, Pair{before, path, count})
	return nil
}
