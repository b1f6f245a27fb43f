// The program has loops that the compiler copies and turns around, and says how often they went round.
package main

import (
	"flag"
	"fmt"
)

var rounds = flag.Int("rounds", 1000, "")

// sum is inlined.
func sum(list []int) (s int) {
	for _, x := range list {
		s += x
	}
	return s
}

//go:noinline
func often(list []int) int { return sum(list) }

//go:noinline
func seldom(list []int) int { return sum(list) + 1 }

// halves has a condition that the compiler tests behind the body.
//
//go:noinline
func halves(n int) (k int) {
	for n > 1 {
		n /= 2
		k++
	}
	return k
}

// digits has a loop that ends in its middle, two ways to go round, and a register for its paths.
//
//go:noinline
func digits(n int) (odd, even int) {
	for {
		if n%2 == 0 {
			even++
		} else {
			odd++
		}
		n /= 10
		if n == 0 {
			return odd, even
		}
	}
}

// wide has so many paths that a hash table counts them.
//
//go:noinline
func wide(n int) (s int) {
	for ; n > 1; n /= 2 {
		if n&1 != 0 {
			s++
		}
		if n&2 != 0 {
			s++
		}
		if n&4 != 0 {
			s++
		}
		if n&8 != 0 {
			s++
		}
		if n&16 != 0 {
			s++
		}
		if n&32 != 0 {
			s++
		}
		if n&64 != 0 {
			s++
		}
		if n&128 != 0 {
			s++
		}
		if n&256 != 0 {
			s++
		}
		if n&512 != 0 {
			s++
		}
		if n&1024 != 0 {
			s++
		}
		if n&2048 != 0 {
			s++
		}
		if n&4096 != 0 {
			s++
		}
		if n&8192 != 0 {
			s++
		}
		if n&16384 != 0 {
			s++
		}
		if n&32768 != 0 {
			s++
		}
		if n&65536 != 0 {
			s++
		}
		if n&131072 != 0 {
			s++
		}
	}
	return s
}

// never is not called, but the compiler does not know.
func never(n int) (s int) {
	for i := range n {
		s ^= i * i
	}
	return s
}

func main() {
	flag.Parse()
	list := make([]int, 10)
	n := 0
	for i := range *rounds {
		n += often(list)
		if i%4 == 0 {
			n += seldom(list) + wide(16)
		}
		if i%2 == 0 {
			n += halves(1 << 8)
			odd, even := digits(12345)
			n += odd + even
		}
	}
	if flag.NArg() > 0 {
		fmt.Println(never(n))
	}
	fmt.Println(n)
}
