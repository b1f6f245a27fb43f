// Killed counts in four goroutines, for several ticks, prints a line, waits for the end of its input, counts on, prints another
// line, and leaves with exit code 3.
package main

import (
	"fmt"
	"io"
	"os"
	"sync"
)

func main() {
	fmt.Println("counted", count())
	io.Copy(io.Discard, os.Stdin)
	fmt.Println("counted", count())
	os.Exit(3)
}

// count returns how often third was true, and how many bits sparse has found, in one sum.
func count() (sum int) {
	var group sync.WaitGroup
	sums := make([]int, 4)
	for i := range sums {
		group.Go(func() {
			for n := range 15_000_000 {
				if third(n) {
					sums[i]++
				}
			}
		})
	}
	group.Wait()
	for i := range 300_000 {
		sum += sparse(uint32(i % 7))
	}
	return sum + sums[0] + sums[1] + sums[2] + sums[3]
}

// third has two paths, of which the second is taken one time in three.
//
//go:noinline
func third(i int) bool {
	if i%3 == 0 {
		return true
	}
	return false
}
