// Bursts works for some milliseconds and sleeps ten times as long, by turns. It prints how often it calls the function that
// it calls.
package main

import (
	"fmt"
	"time"
)

func main() {
	const bursts, calls = 40, 5_000_000
	n := uint32(27)
	for range bursts {
		for range calls {
			n = step(n)
		}
		time.Sleep(80 * time.Millisecond)
	}
	if n > 0 {
		fmt.Println(bursts * calls)
	}
}

//go:noinline
func step(n uint32) uint32 {
	if n&1 == 0 {
		return n / 2
	}
	return 3*n + 1
}
