// Command threads has many threads that end while they are in a loop, or soon after: a goroutine that is locked to its thread and returns takes it along.
package main

import (
	"runtime"
	"sync"
)

const (
	goroutines = 300 // more than there are logs of portable probes
	calls      = 10  // of each
	rounds     = 300_000
)

//go:noinline
func rare(i int) int {
	if i%2 == 0 {
		return 1
	}
	return 2
}

//go:noinline
func hot(n int) (sum int) {
	for i := range n {
		if i&3 == 0 {
			sum += i
		}
	}
	return sum
}

func main() {
	var all sync.WaitGroup
	for range goroutines {
		all.Go(func() {
			runtime.LockOSThread()
			for i := range calls {
				rare(i)
				hot(rounds)
			}
		})
	}
	all.Wait()
}
