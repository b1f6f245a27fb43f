package prime

import (
	"encoding/binary"
	"slices"

	"github.com/goprofinstr/goprofinstr/export/profile"
)

// executed has the counts of prime paths over one back edge at most, by key.
type executed map[string]count

// A count is how often a prime path was executed for certain, and in the mean of what is known.
type count struct{ least, estimate int64 }

// key returns the edges of a path as a key.
func key(edges []int) string {
	b := make([]byte, 0, 2*len(edges))
	for _, id := range edges {
		b = binary.AppendUvarint(b, uint64(id))
	}
	return string(b)
}

// edgesOf is the inverse of key.
func edgesOf(key string) (edges []int) {
	for b := []byte(key); len(b) > 0; {
		id, n := binary.Uvarint(b)
		edges, b = append(edges, int(id)), b[n:]
	}
	return edges
}

// mostFound is how many prime paths are found in paths and pairs: it bounds the memory for damaged profiles.
const mostFound = 1 << 20

// executed finds prime paths in the paths and pairs of a function. It is not ok if there were too many.
func (g *graph) executed(f *profile.Function) (found executed, ok bool) {
	found = make(executed)
	add := func(window []int, least, estimate int64) {
		k := key(window)
		if n, known := found[k]; known || len(found) < mostFound {
			found[k] = count{n.least + least, n.estimate + estimate}
		}
	}
	edges := make(map[uint64][]int) // by path
	for i := range f.Paths {
		p := &f.Paths[i]
		edges[p.ID] = p.Edges
		g.windows(p.Edges, len(p.Edges), func(window []int, _ int) { add(window, p.Count, p.Count) })
	}
	var both []int
	for _, pair := range f.Pairs {
		before := edges[pair.Before]
		if before == nil || edges[pair.Path] == nil { // whose counts were lost
			continue
		}
		both = append(append(both[:0], before...), edges[pair.Path]...)
		g.windows(both, len(before), func(window []int, end int) {
			if end > len(before) {
				add(window, pair.Least, pair.Count)
			}
		})
	}
	return found, len(found) < mostFound
}

// windows calls visit with the prime paths in a row of edges that begin with one of the first ones, and with where they end. A
// prime path goes on as long as it is simple, since it is part of no other. One that does not begin the row, and is no
// cycle, comes from a block that is on it.
func (g *graph) windows(edges []int, first int, visit func(window []int, end int)) {
	again := g.again(edges)
	for start := range first {
		if start > 0 && !again[start] && !again[start-1] {
			continue
		}
		if end := g.simple(edges, start); end > start && g.isPrime(edges[start:end]) {
			visit(edges[start:end], end)
		}
	}
}

// again tells for each edge of a row whether the row comes to its first block again.
func (g *graph) again(edges []int) []bool {
	again := make([]bool, len(edges))
	g.now++
	g.at[g.edges[edges[len(edges)-1]].To] = g.now
	for i, id := range slices.Backward(edges) {
		from := g.edges[id].From
		again[i] = g.at[from] == g.now
		g.at[from] = g.now
	}
	return again
}

// simple returns where the longest simple path ends that begins with an edge.
func (g *graph) simple(edges []int, start int) int {
	g.now++
	first := g.edges[edges[start]].From
	g.at[first] = g.now
	for end := start; end < len(edges); end++ {
		to := g.edges[edges[end]].To
		if to == first {
			return end + 1
		}
		if g.at[to] == g.now {
			return end
		}
		g.at[to] = g.now
	}
	return len(edges)
}
