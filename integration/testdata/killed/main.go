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

// sparse has so many paths that they are in a hash table.
//
//go:noinline
func sparse(n uint32) (bits int) {
	if n&(1<<0) != 0 {
		bits++
	}
	if n&(1<<1) != 0 {
		bits++
	}
	if n&(1<<2) != 0 {
		bits++
	}
	if n&(1<<3) != 0 {
		bits++
	}
	if n&(1<<4) != 0 {
		bits++
	}
	if n&(1<<5) != 0 {
		bits++
	}
	if n&(1<<6) != 0 {
		bits++
	}
	if n&(1<<7) != 0 {
		bits++
	}
	if n&(1<<8) != 0 {
		bits++
	}
	if n&(1<<9) != 0 {
		bits++
	}
	if n&(1<<10) != 0 {
		bits++
	}
	if n&(1<<11) != 0 {
		bits++
	}
	if n&(1<<12) != 0 {
		bits++
	}
	if n&(1<<13) != 0 {
		bits++
	}
	if n&(1<<14) != 0 {
		bits++
	}
	if n&(1<<15) != 0 {
		bits++
	}
	if n&(1<<16) != 0 {
		bits++
	}
	if n&(1<<17) != 0 {
		bits++
	}
	if n&(1<<18) != 0 {
		bits++
	}
	if n&(1<<19) != 0 {
		bits++
	}
	if n&(1<<20) != 0 {
		bits++
	}
	if n&(1<<21) != 0 {
		bits++
	}
	if n&(1<<22) != 0 {
		bits++
	}
	if n&(1<<23) != 0 {
		bits++
	}
	if n&(1<<24) != 0 {
		bits++
	}
	if n&(1<<25) != 0 {
		bits++
	}
	if n&(1<<26) != 0 {
		bits++
	}
	if n&(1<<27) != 0 {
		bits++
	}
	if n&(1<<28) != 0 {
		bits++
	}
	if n&(1<<29) != 0 {
		bits++
	}
	if n&(1<<30) != 0 {
		bits++
	}
	if n&(1<<31) != 0 {
		bits++
	}
	return bits
}
