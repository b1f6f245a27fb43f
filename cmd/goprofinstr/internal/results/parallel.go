package results

import (
	"cmp"
	"runtime"
	"slices"
	"sync"
)

// InParallel calls f for each index of sizes, for the largest first: if it came last, the other processors would
// wait for it.
func InParallel(sizes []int, f func(i int)) {
	order := make([]int, len(sizes))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(sizes[j], sizes[i]) })
	next := make(chan int)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := range next {
				f(i)
			}
		})
	}
	for _, i := range order {
		next <- i
	}
	close(next)
	wg.Wait()
}
