// Followed works in several goroutines until it has done so much, or is killed. Some of its functions are rare, one has a hash table of paths,
// and some of their activations panic. A second argument is for how long they rest after each 10,000 rounds.
package main

import (
	"fmt"
	"os"
	"strconv"
	"sync"
	"time"
)

func main() {
	rounds, err := strconv.Atoi(os.Args[1])
	if err != nil {
		panic(err)
	}
	var rest time.Duration
	if len(os.Args) > 2 {
		if rest, err = time.ParseDuration(os.Args[2]); err != nil {
			panic(err)
		}
	}
	var wg sync.WaitGroup
	sums := make([]int, 3)
	for i := range sums {
		wg.Go(func() { sums[i] = work(i, rounds, rest) })
	}
	wg.Wait()
	fmt.Println(sums[0] > 0)
}

func work(seed, rounds int, rest time.Duration) (sum int) {
	x := uint32(seed + 1)
	for i := range rounds {
		x = x*1664525 + 1013904223
		sum += hot(x)
		if i%1000 == 0 {
			sum += rare(int(x>>16), i)
		}
		if i%5000 == seed {
			sum += failing(x)
		}
		if i%100 == 0 {
			sum += many(x >> 8)
		}
		if rest != 0 && i%10000 == 0 {
			time.Sleep(rest)
		}
	}
	return sum
}

func hot(x uint32) (n int) {
	for x != 0 {
		if x&3 == 3 {
			n += 2
		} else if x&1 == 1 {
			n++
		}
		x >>= 3
	}
	return n
}

func rare(n, i int) int {
	switch {
	case n%7 == 0:
		return 1
	case n%2 == 0 && i%3000 == 0:
		return 2
	}
	return 0
}

func failing(x uint32) (n int) {
	defer func() {
		if recover() != nil {
			n = 1
		}
	}()
	if x&0x10000 != 0 {
		return must(x)
	}
	return 0
}

func must(x uint32) int {
	if x&0x20000 != 0 {
		panic("no")
	}
	return 2
}

// many has more paths than there are counters for.
func many(x uint32) (n int) {
	if x&1 != 0 {
		n++
	}
	if x&2 != 0 {
		n++
	}
	if x&4 != 0 {
		n++
	}
	if x&8 != 0 {
		n++
	}
	if x&16 != 0 {
		n++
	}
	if x&32 != 0 {
		n++
	}
	if x&64 != 0 {
		n++
	}
	if x&128 != 0 {
		n++
	}
	if x&256 != 0 {
		n++
	}
	if x&512 != 0 {
		n++
	}
	if x&1024 != 0 {
		n++
	}
	if x&2048 != 0 {
		n++
	}
	if x&4096 != 0 {
		n++
	}
	return n
}
