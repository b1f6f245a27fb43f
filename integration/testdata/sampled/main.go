// Program sampled does the same work each time it runs, in phases with fast paths and with slow ones, and what its
// arguments ask for besides.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/pprof"
	"strings"
	"sync"
)

var (
	rounds     = flag.Int("rounds", 20, "`number` of rounds of work")
	goroutines = flag.Int("goroutines", 1, "`number` of goroutines that do it")
	children   = flag.Int("children", 0, "`number` of processes to start meanwhile")
	cpuprofile = flag.String("cpuprofile", "", "write a CPU profile to a `file`")
)

func main() {
	flag.Parse()
	if *cpuprofile != "" {
		f, err := os.Create(*cpuprofile)
		check(err)
		check(pprof.StartCPUProfile(f))
		defer pprof.StopCPUProfile()
	}
	var wg sync.WaitGroup
	sums := make([]int, *goroutines)
	for i := range sums {
		wg.Go(func() {
			for r := range *rounds {
				labels := pprof.Labels("round", fmt.Sprint(r))
				pprof.Do(context.Background(), labels, func(context.Context) { sums[i] += work(r) })
				runtime.Gosched()
			}
		})
	}
	for range *children {
		check(exec.Command(os.Args[0], "-rounds=1").Run())
	}
	wg.Wait()
	sum := 0
	for _, s := range sums {
		sum += s
	}
	fmt.Println(sum)
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func work(seed int) int {
	sum := 0
	for i := range 300_000 {
		sum += classify(i + seed)
	}
	for i := range 300 {
		sum += len(words(i))
	}
	return sum + build(12).count()
}

// classify has short paths.
func classify(n int) int {
	if n%8 == 0 {
		return 1
	}
	if n%2 == 0 || n%3 == 0 {
		return 2
	}
	return 3
}

// words has long ones, with calls in them.
func words(n int) []string {
	var found []string
	for _, w := range strings.Fields(strings.Repeat("some words in a text ", 10)) {
		switch {
		case strings.HasPrefix(w, "w"):
			found = append(found, strings.ToUpper(w))
		case len(w)%3 == n%3:
			found = append(found, w)
		}
	}
	return found
}

// A node makes work for the garbage collector.
type node struct{ left, right *node }

func build(depth int) *node {
	if depth == 0 {
		return new(node)
	}
	return &node{build(depth - 1), build(depth - 1)}
}

func (n *node) count() int {
	if n == nil {
		return 0
	}
	return 1 + n.left.count() + n.right.count()
}
