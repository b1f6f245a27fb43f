package table

import (
	"fmt"
	"math/bits"

	"github.com/goprofinstr/goprofinstr/ssacfg/pathnum"
)

// Pairs say how pairs of paths are counted that follow each other in one activation. The first path ends with a back
// edge, and the second starts at the target of the edge. Pairs are the paths of two iterations of D'Elia & Demetrescu,
// "Ball-Larus path profiling across multiple loop iterations" (OOPSLA 2013), k = 2.
//
// The paper walks a forest of paths, with hash tables of edges in it. Here a pair has a number, and most functions have a
// counter for each. A local variable holds what the path before adds to that of a path, so a pair takes a
// multiplication and two additions:
//
//	pairs[before+path]++; before = path*factor + offset
//
// It is 0 when an activation begins, and the numbers of paths that start at entry are those of no pair.
type Pairs struct {
	Storage Storage
	First   uint64         // StorageArray: the counter of pair n is counter First+n of the package
	Ends    []pathnum.Span // StorageArray: of paths that end with a back edge to each of Values.Starts
	Hash    int            // StorageHash: index of the hash table in the package

	// Folded tells that there are too many paths to number pairs of them. In a hash table, numbers are those of paths folded
	// to 30 bits (runfile.FoldPath): that of the one before plus 1, and behind it that of the other. Of the paths that were
	// executed few if any have the same 30 bits.
	Folded bool `json:",omitempty"`

	Declined string `json:",omitempty"` // why pairs are not counted
}

// MostPairs is how many counters of pairs a function has. With more of them it has a hash table.
const MostPairs = 1 << 17

// mostPaired is how many paths a function may have for the upper bits of the numbers of its pairs to be 0. The runtime has
// other uses for these bits.
const mostPaired = 1 << 30

// NewPairs plans how pairs of the paths of v are counted, and says how many counters they take. There are no pairs without
// a back edge. Array and hash table have no place yet.
func NewPairs(v *pathnum.Values, ends []pathnum.Span, most uint64) (p *Pairs, counters uint64) {
	switch p := (&Pairs{Storage: StorageArray, Ends: ends}); {
	case len(v.Starts) == 0:
		return nil, 0
	case v.NumPaths > mostPaired:
		return &Pairs{Storage: StorageHash, Folded: true}, 0
	default:
		if _, counters, ok := p.layout(v); ok && counters <= most {
			return p, counters
		}
	}
	return &Pairs{Storage: StorageHash}, 0
}

// On reports whether pairs are counted.
func (p *Pairs) On() bool { return p != nil && p.Declined == "" }

// pathsFrom returns how many paths begin at start i.
func pathsFrom(v *pathnum.Values, i int) uint64 {
	if i+1 < len(v.Starts) {
		return v.Starts[i+1].Val - v.Starts[i].Val
	}
	return v.NumPaths - v.Starts[i].Val
}

// layout returns the number of the first pair whose second path begins at each start, and how many numbers there are. It
// is not ok if 64 bits are too few.
func (p *Pairs) layout(v *pathnum.Values) (first []uint64, all uint64, ok bool) {
	if len(v.Starts) == 0 || len(p.Ends) != len(v.Starts) {
		return nil, 0, false
	}
	all = v.Starts[0].Val
	for i, e := range p.Ends {
		if e.Low > e.High || e.High >= v.NumPaths {
			return nil, 0, false
		}
		first = append(first, all)
		high, low := bits.Mul64(e.High-e.Low+1, pathsFrom(v, i))
		var carry uint64
		if all, carry = bits.Add64(all, low, 0); high+carry > 0 {
			return nil, 0, false
		}
	}
	return first, all, true
}

// Before returns what a path adds to the number of the next one, to make it that of a pair: path×factor + offset, modulo 2^64.
// The next path begins at start i. Pairs that are Folded have no such number.
func (p *Pairs) Before(v *pathnum.Values, i int) (factor, offset uint64) {
	if p.Storage == StorageHash {
		return v.NumPaths, v.NumPaths
	}
	first, _, ok := p.layout(v)
	if !ok {
		panic("BUG: pairs without numbers")
	}
	factor = pathsFrom(v, i)
	return factor, first[i] - p.Ends[i].Low*factor - v.Starts[i].Val
}

// Numbers returns how many numbers of pairs there are, in an array.
func (p *Pairs) Numbers(v *pathnum.Values) uint64 {
	_, all, _ := p.layout(v)
	return all
}

// A PairDecoder turns numbers of pairs into the two paths.
type PairDecoder struct {
	pairs *Pairs
	v     *pathnum.Values
	first []uint64
}

// Decoder returns the decoder of pairs of the paths of v.
func (p *Pairs) Decoder(v *pathnum.Values) *PairDecoder {
	first, _, _ := p.layout(v)
	return &PairDecoder{p, v, first}
}

// Pair returns the two paths of a pair that is not Folded. It is not ok if the number is that of none. Whether the first
// path ends where the second begins is not looked at.
func (d *PairDecoder) Pair(number uint64) (before, path uint64, ok bool) {
	if d.pairs.Storage == StorageHash {
		n := d.v.NumPaths
		return number/n - 1, number % n, number >= n && number/n <= n
	}
	i := len(d.first) - 1
	for i >= 0 && d.first[i] > number {
		i--
	}
	if i < 0 {
		return 0, 0, false
	}
	n := pathsFrom(d.v, i)
	rest := number - d.first[i]
	return d.pairs.Ends[i].Low + rest/n, d.v.Starts[i].Val + rest%n, true
}

// checkPairs makes sure that numbers of pairs are those of counters that there are.
func (f *Function) checkPairs(p *Package) error {
	pairs := f.Pairs
	switch {
	case !pairs.On():
		return nil
	case pairs.Storage == StorageHash:
		if pairs.Hash < 0 || f.Values.NumPaths == 0 || f.Values.NumPaths > mostPaired && !pairs.Folded {
			return fmt.Errorf("hash table %d for pairs of %d paths", pairs.Hash, f.Values.NumPaths)
		}
		return nil
	case pairs.Storage != StorageArray:
		return fmt.Errorf("pairs in unknown storage %q", pairs.Storage)
	}
	for i := range f.Values.Starts {
		if n := pathsFrom(&f.Values, i); n == 0 || n > f.Values.NumPaths {
			return fmt.Errorf("%d paths from start %d on", n, i)
		}
	}
	_, n, ok := pairs.layout(&f.Values)
	if !ok || pairs.First > p.Counters || n > p.Counters-pairs.First {
		return fmt.Errorf("%d counters of pairs from %d on, of %d", n, pairs.First, p.Counters)
	}
	return nil
}
