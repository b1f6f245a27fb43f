// Revoked works, prints a line, waits for the end of its input, works on, prints another line, and leaves with exit code 3.
package main

import (
	"fmt"
	"io"
	"os"
	"sync"
)

func main() {
	fmt.Println(work())
	io.Copy(io.Discard, os.Stdin)
	fmt.Println(work())
	os.Exit(3)
}

// work sums up in four goroutines, for several ticks.
func work() int {
	var wg sync.WaitGroup
	sums := make([]int, 4)
	for i := range sums {
		wg.Go(func() {
			for n := range 6_000_000 {
				sums[i] += kind(n)
				if n%1000 == 0 {
					sums[i] += bits(n)
				}
			}
		})
	}
	wg.Wait()
	return sums[0] + sums[1] + sums[2] + sums[3]
}

func kind(n int) int {
	switch {
	case n%15 == 0:
		return 15
	case n%5 == 0:
		return 5
	case n%3 == 0:
		return 3
	}
	return 1
}

// bits returns how many of 18 bits are set. It has more paths than there are counters for.
func bits(n int) (set int) {
	if n&(1<<0) != 0 {
		set++
	}
	if n&(1<<1) != 0 {
		set++
	}
	if n&(1<<2) != 0 {
		set++
	}
	if n&(1<<3) != 0 {
		set++
	}
	if n&(1<<4) != 0 {
		set++
	}
	if n&(1<<5) != 0 {
		set++
	}
	if n&(1<<6) != 0 {
		set++
	}
	if n&(1<<7) != 0 {
		set++
	}
	if n&(1<<8) != 0 {
		set++
	}
	if n&(1<<9) != 0 {
		set++
	}
	if n&(1<<10) != 0 {
		set++
	}
	if n&(1<<11) != 0 {
		set++
	}
	if n&(1<<12) != 0 {
		set++
	}
	if n&(1<<13) != 0 {
		set++
	}
	if n&(1<<14) != 0 {
		set++
	}
	if n&(1<<15) != 0 {
		set++
	}
	if n&(1<<16) != 0 {
		set++
	}
	if n&(1<<17) != 0 {
		set++
	}
	return set
}
