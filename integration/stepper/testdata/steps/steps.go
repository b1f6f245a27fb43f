// Package steps has what is hard to follow in machine code.
package steps

import "strings"

// Classify has range tests, which are one subtraction each, and a jump table.
func Classify(s string) (n [8]int) {
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case 'a' <= c && c <= 'z':
			n[0]++
		case '0' <= c && c <= '9':
			n[1]++
		}
		switch c {
		case 'a', 'e', 'i', 'o', 'u':
			n[2]++
		case 'b':
			n[3]++
		case 'c':
			n[4] += 2
		case 'd', 'f', 'g':
			n[5]--
		case 'h':
			n[6] = i
		default:
			n[7]++
		}
	}
	return n
}

// Clamp has conditional moves.
func Clamp(list []int, low, high int) (sum int) {
	for _, x := range list {
		if x < low {
			x = low
		}
		if x > high {
			x = high
		}
		sum += x
	}
	return sum
}

// Both has variables and calls as operands.
func Both(list []int, even, big bool) (n int) {
	for _, x := range list {
		if even && big {
			n++
		}
		if x > 3 && isOdd(x) || !even && x == 2 {
			n += 2
		}
	}
	return n
}

//go:noinline
func isOdd(x int) bool { return x%2 == 1 }

// Fall falls through the whole of a stack, which grows meanwhile, and recovers from a panic now and then.
func Fall(depth int) (n int) {
	var room [64]int
	if depth == 0 {
		return 1
	}
	room[depth%64] = depth
	if depth%5 == 0 {
		return Fall(depth-1) + room[depth%64]
	}
	return Fall(depth-1) + Recover(depth)
}

// Recover recovers.
func Recover(n int) (got int) {
	defer func() {
		if e := recover(); e != nil {
			got = -1
		}
	}()
	if n%7 == 3 {
		panic("seven")
	}
	if n%11 == 3 {
		return strings.Count("panic", strings.Repeat("n", n%2))
	}
	return n
}

// Pairs has goroutines whose activations alternate.
func Pairs(list []int) (sum int) {
	next, done := make(chan int), make(chan int)
	go func() {
		for x := range next {
			if x%3 == 0 {
				done <- x
			} else {
				done <- -x
			}
		}
	}()
	for _, x := range list {
		next <- x
		if y := <-done; y > 0 {
			sum += y
		}
	}
	next <- 0 // The goroutine takes it when it has ended all its paths. It ends no other, since nobody takes what it sends.
	return sum
}
