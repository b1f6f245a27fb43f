// Kinds calls methods of interfaces and function values, goes round loops, and has values, and says how often: a kind, a function, what is called or looked at,
// the target or value, and a count.
package main

import (
	"flag"
	"fmt"
	"maps"
	"slices"
	"sync"
)

type node interface{ eval(n int) int }

type (
	leaf  struct{}
	small uint8
	add   struct{ a, b node }
	call  func(int) int
)

func (leaf) eval(n int) int    { return n }
func (s small) eval(n int) int { return int(s) }
func (a *add) eval(n int) int {
	note("calls", "(*add).eval", "a.a.eval", target(a.a))
	x := a.a.eval(n)
	note("calls", "(*add).eval", "a.b.eval", target(a.b))
	return x + a.b.eval(n)
}
func (f call) eval(n int) int {
	note("calls", "call.eval", "f", "main.twice")
	return f(n)
}

func twice(n int) int { return 2 * n }

func target(n node) string {
	switch n.(type) {
	case leaf:
		return "main.leaf.eval"
	case small:
		return "main.small.eval"
	case call:
		return "main.call.eval"
	}
	return "main.(*add).eval"
}

func collatz(n int) int {
	rounds := 0
	for m := n; m != 1; rounds++ {
		if m%2 == 0 {
			m /= 2
		} else {
			m = 3*m + 1
		}
		if rounds == 50 {
			break
		}
	}
	note("trips", "collatz", "loop", fmt.Sprint(rounds))
	small := rounds < 20 //goprofinstr:value
	note("values", "collatz", "small", map[bool]string{false: "0", true: "1"}[small])
	return rounds
}

var (
	mu     sync.Mutex
	counts = make(map[string]int)
)

func note(kind, function, what, value string) {
	mu.Lock()
	defer mu.Unlock()
	counts[kind+" "+function+" "+what+" "+value]++
}

func main() {
	rounds := flag.Int("rounds", 2000, "")
	flag.Parse()
	tree := &add{&add{leaf{}, small(3)}, &add{call(twice), &add{leaf{}, leaf{}}}}
	var wg sync.WaitGroup
	for g := range 2 {
		wg.Go(func() {
			for i := range *rounds {
				collatz(i%40 + g + 1)
				tree.eval(i)
			}
		})
	}
	wg.Wait()
	for _, what := range slices.Sorted(maps.Keys(counts)) {
		fmt.Println(what, counts[what])
	}
}
