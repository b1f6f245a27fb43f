// Ranking answers queries over a collection of documents with the ten that match best. There are two ways to find these, and
// which one is faster depends on how many documents match, which no micro-benchmark knows:
//
//	goprofinstr audit go run ./examples/ranking
package main

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
	"time"
)

// A hit is a document that matches a query.
type hit struct {
	document int
	score    uint32
}

// better orders hits, the best first.
func better(a, b hit) int {
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.document, b.document))
}

const best = 10

// top returns the best hits in order: it sorts all.
func top(hits []hit) []hit {
	hits = slices.Clone(hits)
	slices.SortFunc(hits, better)
	return hits[:min(best, len(hits))]
}

// topSelected goes through the hits once, with the best so far in order.
//
//goprofinstr:variant of=top
func topSelected(hits []hit) []hit {
	found := make([]hit, 0, best+1)
	for _, h := range hits {
		if len(found) == best && better(h, found[best-1]) > 0 {
			continue
		}
		at, _ := slices.BinarySearchFunc(found, h, better)
		found = slices.Insert(found, at, h)
		found = found[:min(best, len(found))]
	}
	return found
}

// search returns the documents that match a query: common words match many, rare ones a few.
func search(query string, documents int) (hits []hit) {
	h := fnv.New32a()
	h.Write([]byte(query))
	state := h.Sum32()
	every := 1 + state>>8%97
	for d := 0; d < documents; d++ {
		state = state*1664525 + 1013904223
		if state>>16%every == 0 {
			hits = append(hits, hit{d, state >> 8 % 1000})
		}
	}
	return hits
}

func main() {
	found := 0
	for i, end := 0, time.Now().Add(3*time.Second); time.Now().Before(end); i++ {
		found += len(top(search(fmt.Sprint("word", i%1000), 2000)))
	}
	fmt.Println("found some:", found > 0)
}
