package main

import (
	"context"
	"hash/adler32"
	"runtime/pprof"
)

var buffer [30_000]byte

// spin uses some CPU time for each of n, on no path that is counted.
func spin(n int) { sink += int(adler32.Checksum(buffer[:n])) }

// deep is recursion sixty calls deep, with work at the bottom and on the way.
func deep(int) {
	for range 10 {
		dive(60)
	}
}

func dive(n int) {
	if n == 0 {
		for range 300 {
			bottom()
		}
		return
	}
	if n%20 == 0 {
		for range 100 {
			onTheWay()
		}
	}
	dive(n - 1)
}

func bottom()   { spin(100) }
func onTheWay() { spin(100) }

// mutual is mutual recursion, with different leaves.
func mutual(int) {
	for range 30 {
		even(8)
		odd(4)
	}
}

func even(n int) {
	if n > 0 {
		odd(n - 1)
		return
	}
	for range 400 {
		evenLeaf()
	}
}

func odd(n int) {
	if n > 0 {
		even(n - 1)
		return
	}
	for range 200 {
		oddLeaf()
	}
}

func evenLeaf() { spin(50) }
func oddLeaf()  { spin(50) }

// figure5 has the properties of the paper's figures 5 and 6: a is called by m and by d, and calls c only for m; b is called often, and c runs long.
func figure5(int) {
	for range 100 {
		m()
	}
}

func m() {
	a(true)
	d()
	d()
}

func d() {
	a(false)
	c(100)
}

func a(direct bool) {
	for range 20 {
		b()
	}
	if direct {
		c(5000)
	}
}

func b()      { sink++ }
func c(n int) { spin(n) }

// figure9 is the paper's figure 9: recursive calls that alternate, with different leaves.
func figure9(int) {
	for range 100 {
		ra(3)
	}
}

func ra(n int) {
	for range 40 * n {
		leafOfA()
	}
	if n > 0 {
		rb(n)
	}
}

func rb(n int) {
	for range 30 * n {
		leafOfB()
	}
	ra(n - 1)
}

func leafOfA() { spin(50) }
func leafOfB() { spin(50) }

// figure10 is the paper's figure 10: a very deep sequence of calls on the right branch only.
func figure10(int) {
	for range 10 {
		left()
		right()
	}
}

func left() {
	for range 100 {
		short()
	}
}

func right() { descend(400) }

func descend(n int) {
	if n > 0 {
		descendMore(n - 1)
		return
	}
	for range 4000 {
		veryDeep()
	}
}

func descendMore(n int) { descend(n) }

func short()    { spin(100) }
func veryDeep() { spin(100) }

// stems has a deep sequence of calls on top of others that are different in each round, by functions of the same size.
func stems(round int) {
	for i := range 10 {
		stem(round+i, 60)
	}
}

func stem(pattern, n int) {
	switch {
	case n == 0:
		down(120)
	case pattern>>(n%4)&1 == 0:
		stemLeft(pattern, n-1)
	default:
		stemRight(pattern, n-1)
	}
}

func stemLeft(pattern, n int)  { stem(pattern, n) }
func stemRight(pattern, n int) { stem(pattern, n) }

func down(n int) {
	if n > 0 {
		down(n - 1)
		return
	}
	for range 4000 {
		veryDeep()
	}
}

// timed has one function use three times as much CPU time for one caller as for another.
func timed(int) {
	for range 100 {
		three()
		one()
	}
}

func three() { spin(30_000) }
func one()   { spin(10_000) }

// labelled works with labels of pprof.
func labelled(int) {
	for _, kind := range []string{"large", "small"} {
		pprof.Do(context.Background(), pprof.Labels("kind", kind), func(context.Context) {
			for range 100 {
				request(kind)
			}
		})
	}
}

func request(kind string) {
	if kind == "large" {
		spin(30_000)
		return
	}
	spin(10_000)
}

// path has a function of which each caller takes a path of its own.
func path(int) {
	for i := range 1000 {
		fast(i)
		slow(i)
	}
}

func fast(n int) { choose(n, true) }
func slow(n int) { choose(n, false) }

func choose(n int, quickly bool) {
	if quickly {
		sink += n
		return
	}
	for i := range 5 {
		sink ^= i * n
	}
}

// full has a context in each round that never was.
func full(round int) {
	seed := uint64(round+1) * 0x9e37_79b9_7f4a_7c15
	for i := range uint64(20) {
		wander(seed^i<<40, 100)
	}
}

func wander(seed uint64, n int) {
	seed ^= seed << 13
	seed ^= seed >> 7
	seed ^= seed << 17
	switch {
	case n == 0:
		for range 100 {
			veryDeep()
		}
	case seed&1 == 0:
		wanderLeft(seed, n-1)
	default:
		wanderRight(seed, n-1)
	}
}

func wanderLeft(seed uint64, n int)  { wander(seed, n) }
func wanderRight(seed uint64, n int) { wander(seed, n) }

// again has a loop that calls a function again and again, at the same place of the stack, which takes a part of the time between ticks, or a multiple.
func again(round int) {
	for i := range 20 {
		work((round + i) % period)
	}
}

func work(n int) {
	spin(1000 * n)
	if n > 12 {
		large()
	}
	spin(1000 * n)
}

// caller runs long, and calls what is short.
func caller(int) {
	for range 3000 {
		short()
	}
	for range 100_000 {
		b()
	}
}

// fibonacci is recursion of which each activation makes two calls.
func fibonacci(round int) { fib(24 + round%10) }

func fib(n int) {
	if n < 2 {
		return
	}
	fib(n - 1)
	fib(n - 2)
}

// sequence has a loop that calls a function without one, which calls others one after the other.
func sequence(int) {
	for i := range 10 {
		first(i)
	}
}

func first(i int) {
	second(i)
	spin(10_000)
	second(i)
}

func second(i int) {
	one()
	if i%3 == 0 {
		large()
	}
	one()
}

func large() {
	for range 800 {
		three()
	}
}

// slowly is deep and mutual recursion that works on the way, down and up.
func slowly(int) { slowlyDown(30) }

func slowlyDown(n int) {
	for range 60 {
		three()
	}
	if n > 0 {
		slowlyFurther(n - 1)
	}
	for range 60 {
		one()
	}
}

func slowlyFurther(n int) {
	if n%8 == 1 {
		slowlyFurther(n - 1)
		return
	}
	slowlyDown(n)
}

// figure6 is figure5 with calls of c that take some time between ticks, as in the paper's samples.
func figure6(round int) {
	for i := range 4 {
		slowM(4000 * (1 + (round+i)%4))
	}
}

func slowM(n int) {
	slowA(n, true)
	slowD()
	slowD()
}

func slowD() {
	slowA(0, false)
	slowC(10)
}

func slowA(n int, direct bool) {
	for range 2000 {
		b()
	}
	if direct {
		slowC(n)
	}
}

func slowC(n int) {
	for range n {
		spin(2000)
	}
}
