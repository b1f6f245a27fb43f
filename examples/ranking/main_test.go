package main

import (
	"fmt"
	"slices"
	"testing"
)

// TestSame holds the variant against the original: an audit says which is faster, not whether they agree.
func TestSame(t *testing.T) {
	for i := range 200 {
		hits := search(fmt.Sprint("word", i), i*10)
		if a, b := top(hits), topSelected(hits); !slices.Equal(a, b) {
			t.Fatalf("query %d: %v and %v", i, a, b)
		}
	}
}

func BenchmarkQuery(b *testing.B) {
	for i := 0; b.Loop(); i++ {
		top(search(fmt.Sprint("word", i%1000), 2000))
	}
}
