// Audit has pairs of functions that differ in how long they take by what their names say, and by nothing else: all their work is a chain of
// multiplications and additions, each of which waits for the one before. Noisy takes what its input takes, and leaves garbage behind.
//
//	main SECONDS
package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"time"
)

// steps is some 4 µs.
const steps = 3000

//go:noinline
func work(n int) uint64 {
	x := uint64(n)
	for range n {
		x = x*6364136223846793005 + 1442695040888963407
	}
	return x
}

func Zero() uint64   { return work(steps) }
func One() uint64    { return work(steps) }
func Two() uint64    { return work(steps) }
func Five() uint64   { return work(steps) }
func Twenty() uint64 { return work(steps) }

//goprofinstr:variant of=Zero
func zeroMore() uint64 { return work(steps) }

//goprofinstr:variant of=One
func oneMore() uint64 { return work(steps * 101 / 100) }

//goprofinstr:variant of=Two
func twoMore() uint64 { return work(steps * 102 / 100) }

//goprofinstr:variant of=Five
func fiveMore() uint64 { return work(steps * 105 / 100) }

//goprofinstr:variant of=Twenty
func twentyMore() uint64 { return work(steps * 120 / 100) }

var (
	random = rand.New(rand.NewPCG(1, 2))
	sizes  [64]int
)

func Noisy(i int) int { return sorted(sizes[i]) }

//goprofinstr:variant of=Noisy
func noisySame(i int) int { return sorted(sizes[i]) }

//go:noinline
func sorted(n int) int {
	list := make([]int, n)
	seen := make(map[int]*int)
	for i := range list {
		list[i] = random.IntN(n)
		seen[list[i]] = new(int)
	}
	slices.Sort(list)
	return len(seen)
}

func main() {
	for i := range sizes {
		sizes[i] = 4 << random.IntN(6)
	}

	seconds, err := strconv.ParseFloat(os.Args[1], 64)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	end := time.Now().Add(time.Duration(seconds * float64(time.Second)))
	sum := uint64(0)
	for i := 0; time.Now().Before(end); i++ {
		sum += uint64(Noisy(i % len(sizes)))
		sum += Zero() + One() + Two() + Five() + Twenty()
	}
	if sum == 1 {
		fmt.Println("unlikely")
	}
}
