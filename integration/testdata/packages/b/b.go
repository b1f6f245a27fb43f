// Package b has goroutines that count while other packages are initialised.
package b

import (
	"sync"

	"example.com/packages/a"
)

var (
	sum   int
	early sync.WaitGroup
)

func init() {
	early.Add(4)
	for i := range 4 {
		go func() {
			defer early.Done()
			n := 0
			for k := range 3000 {
				n += a.Bits(k+i) + Bits(k)
			}
			add(n)
		}()
	}
}

var mu sync.Mutex

func add(n int) {
	mu.Lock()
	sum += n
	mu.Unlock()
}

// Early returns what the goroutines have summed up.
func Early() int {
	early.Wait()
	return sum
}

// Bits returns how many bits are set.
func Bits(n int) (bits int) {
	for ; n != 0; n >>= 1 {
		if n&1 != 0 {
			bits++
		}
	}
	return bits
}
