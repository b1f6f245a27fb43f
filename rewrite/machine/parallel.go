package machine

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// InParallel calls functions for each number below n, in no order. Each of those that begin returns is called by one goroutine
// only. A panic of theirs is one of the caller's.
func InParallel(n int, begin func() func(k int)) {
	var next atomic.Int64
	var wait sync.WaitGroup
	panics := make(chan any, runtime.GOMAXPROCS(0))
	for range min(n, cap(panics)) {
		wait.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					panics <- p
				}
			}()
			do := begin()
			for k := next.Add(1) - 1; k < int64(n); k = next.Add(1) - 1 {
				do(int(k))
			}
		})
	}
	wait.Wait()
	select {
	case p := <-panics:
		panic(p)
	default:
	}
}
