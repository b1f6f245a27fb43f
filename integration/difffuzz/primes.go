package difffuzz

import (
	"fmt"
	"slices"

	"github.com/goprofinstr/goprofinstr/export/prime"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/ssacfg/pathnum"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// mostSimple is how many simple paths of a function are listed.
const mostSimple = 20_000

// comparePairs holds pairs of paths, and prime paths, against the walks of acts.
func (w *walker) comparePairs(acts [][]event) {
	if !w.f.Table.Pairs.On() {
		return
	}
	var walks [][]int
	for _, events := range acts {
		edges, ways, _ := w.walk(w.kept(events))
		if ways != 1 {
			return
		}
		walks = append(walks, edges)
	}
	if text := w.pairDifference(walks); text != "" {
		w.j.fail("pairs", w.f, "%s", text)
		return
	}
	w.comparePrimes(walks)
}

// pairDifference describes a difference between the profile's pairs and those of walks.
func (w *walker) pairDifference(walks [][]int) string {
	want := make(map[profile.Pair]int64) // with a Count of 0
	for _, edges := range walks {
		ids, err := w.ids(edges)
		if err != nil {
			return err.Error()
		}
		for i := range ids[1:] {
			want[profile.Pair{Before: ids[i], Path: ids[i+1]}]++
		}
	}
	for _, p := range w.f.Pairs {
		pair := profile.Pair{Before: p.Before, Path: p.Path}
		if want[pair] != p.Count {
			return fmt.Sprintf("path %d after %d counted %d times, want %d", p.Path, p.Before, p.Count, want[pair])
		}
		delete(want, pair)
		w.j.figures.Pairs++
	}
	for pair, n := range want {
		return fmt.Sprintf("path %d after %d not counted, want %d", pair.Path, pair.Before, n)
	}
	return ""
}

// ids returns the numbers of the paths of a walk.
func (w *walker) ids(edges []int) (ids []uint64, err error) {
	p := pathnum.Path{Start: w.f.Table.Entry}
	for _, e := range edges {
		p.Edges = append(p.Edges, e)
		if edge := w.f.Table.Edges[e]; edge.Back || edge.To == w.f.Table.Exit {
			id, err := w.decoder.Number(p)
			if err != nil {
				return nil, err
			}
			ids = append(ids, id)
			p = pathnum.Path{Start: edge.To, Loop: true}
		}
	}
	return ids, nil
}

// comparePrimes holds the prime paths that package prime finds against those of the definition, and their counts against
// walks.
func (w *walker) comparePrimes(walks [][]int) {
	primes := primesOf(w.f.Table)
	if primes == nil {
		return
	}
	index := newOccurrences(walks)
	got := prime.Of(w.f, prime.Options{Most: mostSimple})
	for state, list := range got.List {
		for i := range list {
			p := &list[i]
			if !primes[fmt.Sprint(p.Edges)] {
				w.j.fail("primes", w.f, "%v is not prime, or there twice", p.Edges)
				return
			}
			delete(primes, fmt.Sprint(p.Edges))
			n, joins := index.of(p.Edges), w.joins(p.Edges)
			if n < p.Low || n > p.High || joins <= 1 && p.Low != p.High || state != prime.Untold && (n > 0) != (state == prime.Covered) {
				w.j.fail("primes", w.f, "%v is %s, %d to %d times, want %d", p.Edges, state, p.Low, p.High, n)
				return
			}
			w.j.figures.addPrime(state, joins, n)
		}
	}
	for edges := range primes {
		w.j.fail("primes", w.f, "%s is prime, and not found", edges)
		return
	}
	w.j.figures.PrimeFunctions++
}

func (f *Figures) addPrime(state prime.State, joins int, n int64) {
	f.Primes++
	f.PrimeExecs += n
	if joins > 1 {
		f.PrimesOver++
	}
	if state == prime.Untold {
		f.PrimesUntold++
	}
}

// joins returns how many back edges a path has before its last edge.
func (w *walker) joins(edges []int) (n int) {
	for _, id := range edges[:len(edges)-1] {
		if w.f.Table.Edges[id].Back {
			n++
		}
	}
	return n
}

// primesOf returns the prime paths of a function by their definition: all simple paths, but for those that another one begins or
// ends with. It returns nil if there are too many.
func primesOf(t *table.Function) map[string]bool {
	primes, inner := make(map[string]bool), make(map[string]bool)
	var grow func(edges []int)
	grow = func(edges []int) {
		primes[fmt.Sprint(edges)] = true
		inner[fmt.Sprint(edges[1:])], inner[fmt.Sprint(edges[:len(edges)-1])] = true, true
		first, last := t.Edges[edges[0]].From, t.Edges[edges[len(edges)-1]].To
		if first == last || len(primes) > mostSimple {
			return
		}
		for id, e := range t.Edges {
			if e.From == last && !slices.ContainsFunc(edges, func(on int) bool { return t.Edges[on].To == e.To }) {
				grow(append(slices.Clone(edges), id))
			}
		}
	}
	for id := range t.Edges {
		grow([]int{id})
	}
	if len(primes) > mostSimple {
		return nil
	}
	for edges := range inner {
		delete(primes, edges)
	}
	return primes
}

// occurrences finds edges in walks.
type occurrences struct {
	walks [][]int
	at    map[int][][2]int // walk and index of each edge
}

func newOccurrences(walks [][]int) *occurrences {
	o := &occurrences{walks, make(map[int][][2]int)}
	for i, edges := range walks {
		for k, id := range edges {
			o.at[id] = append(o.at[id], [2]int{i, k})
		}
	}
	return o
}

// of returns how often edges follow each other in walks.
func (o *occurrences) of(edges []int) (n int64) {
	for _, at := range o.at[edges[0]] {
		rest := o.walks[at[0]][at[1]:]
		if len(rest) >= len(edges) && slices.Equal(rest[:len(edges)], edges) {
			n++
		}
	}
	return n
}
