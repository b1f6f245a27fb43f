package cgo

import (
	"flag"
	"sync"
	"testing"
	"time"
)

var long = flag.Duration("for", 0, "how long to go on")

// Test does the same once, or for some time in two goroutines.
func Test(t *testing.T) {
	first := All(1000)
	t.Log(first)
	var wait sync.WaitGroup
	for range 2 {
		wait.Go(func() {
			for begun := time.Now(); time.Since(begun) < *long; {
				if again := All(1000); again != first {
					t.Errorf("%s, first %s", again, first)
					return
				}
			}
		})
	}
	wait.Wait()
}
