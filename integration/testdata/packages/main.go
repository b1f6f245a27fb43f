// Packages counts in several packages, in functions of few and of many paths, in goroutines that begin before the last of the packages is initialised, and
// leaves with exit code 3.
package main

import (
	"fmt"
	"os"
	"sync"

	"example.com/packages/a"
	"example.com/packages/b"
	"example.com/packages/c"
)

func main() {
	var wg sync.WaitGroup
	sums := make([]int, 8)
	for i := range sums {
		wg.Go(func() {
			for n := range 2000 {
				sums[i] += a.Bits(n) + b.Bits(n) + c.Bits(n)
			}
		})
	}
	wg.Wait()
	fmt.Println(sums, b.Early())
	os.Exit(3)
}
