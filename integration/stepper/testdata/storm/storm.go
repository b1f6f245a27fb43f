// Package storm has what is hard for a thread that changes over between code and its copy: stacks that grow, move, are
// unwound, printed and left by panics, at any moment.
package storm

import (
	"errors"
	"fmt"
	"iter"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
)

// Sieve has loops without calls.
func Sieve(n int) (sum int) {
	composite := make([]bool, n)
	for i := 2; i < n; i++ {
		if composite[i] {
			continue
		}
		sum += i
		for j := i * i; j < n; j += i {
			composite[j] = true
		}
	}
	return sum
}

// Within has a condition of two that are one compare, of AX, while CX has what is needed later.
func Within(n int) (sum int) {
	for i := range n {
		sum = within(i*7%256-50, i, sum)
	}
	return sum
}

//go:noinline
func within(c, i, sum int) int {
	if c >= 0 && c <= 100 {
		return sum + i
	}
	return sum ^ i
}

// Ackermann calls itself, and its stack grows.
func Ackermann(m, n int) int {
	switch {
	case m == 0:
		return n + 1
	case n == 0:
		return Ackermann(m-1, 1)
	}
	return Ackermann(m-1, Ackermann(m, n-1))
}

// Frames has frames of different sizes, with pointers to the stack.
func Frames(depth int, last *int) (n int) {
	var room [200]int
	room[depth%200] = depth
	if depth == 0 {
		return *last
	}
	if depth%3 == 0 {
		n = Frames(depth-1, &room[depth%200])
	} else {
		n = Frames(depth-1, last)
	}
	return n + room[depth%200]
}

type node struct {
	left, right *node
	key         int
}

// Insert makes garbage all the time.
func (t *node) Insert(key int) *node {
	if t == nil {
		return &node{key: key}
	}
	n := *t
	switch {
	case key < t.key:
		n.left = t.left.Insert(key)
	case key > t.key:
		n.right = t.right.Insert(key)
	}
	return &n
}

// All visits nodes in order.
func (t *node) All() iter.Seq[int] {
	return func(yield func(int) bool) { t.visit(yield) }
}

func (t *node) visit(yield func(int) bool) bool {
	if t == nil {
		return true
	}
	return t.left.visit(yield) && yield(t.key) && t.right.visit(yield)
}

// Tree goes through a tree with a coroutine.
func Tree(n int) (sum int) {
	var t *node
	for i := range n {
		t = t.Insert(i * 7919 % n)
	}
	next, stop := iter.Pull(t.All())
	defer stop()
	for {
		k, ok := next()
		if !ok || k > n/2 {
			return sum
		}
		sum += k
	}
}

// Steps and After load at once, and fault where there is nothing: in their first instruction and in their second.
//
//go:noinline
func (t *node) Steps() (n int) {
	for t = t.left; t != nil; t = t.right {
		n++
	}
	return n
}

//go:noinline
func (t *node) After() (n int) {
	for t = t.left.left; t != nil; t = t.right {
		n++
	}
	return n
}

// Nothing counts how often there is nothing.
func Nothing() (n int) {
	of := func(count func(*node) int, t *node) {
		defer func() {
			if recover() != nil {
				n++
			}
		}()
		n += 10 * count(t)
	}
	leaf := &node{}
	of((*node).Steps, nil)
	of((*node).Steps, &node{left: leaf})
	of((*node).After, leaf)
	of((*node).After, &node{left: &node{left: leaf}})
	of((*node).After, nil)
	return n
}

var errDeep = errors.New("deep")

// Fail panics in one way or another.
func Fail(how, depth int, list []int, m map[int]int) (n int) {
	if depth > 0 {
		defer func() { m[depth]++ }()
		n = Fail(how, depth-1, list, m)
		return n + 1
	}
	switch how % 6 {
	case 0:
		panic(errDeep)
	case 1:
		n = list[len(list)+how%3]
	case 2:
		var t *node
		n = t.key
	case 3:
		n = how / (len(m) - len(list) + 3 - len(m))
	case 4:
		n = len(list[2 : len(m)-len(m)])
	case 5:
		var x any = errDeep
		n = len(x.(fmt.Stringer).String())
	}
	return n
}

// Survive recovers from all that, and panics anew now and then.
func Survive(how, depth int) (text string) {
	m := make(map[int]int)
	defer func() {
		if e := recover(); e != nil {
			text = fmt.Sprint(e, len(m), text)
		}
	}()
	for k := range how % 3 { // defers in a loop
		defer func() {
			if e := recover(); e != nil && k == 1 {
				panic(fmt.Sprint(e, " again"))
			} else if e != nil {
				text = fmt.Sprint("first ", e)
			}
		}()
	}
	n := Fail(how, depth, []int{1, 2, 3}, m)
	return fmt.Sprint(n)
}

// Leave ends its goroutine in the middle of calls.
func Leave(depth int, done *sync.WaitGroup, n *int) {
	defer done.Done()
	leave(depth, n)
}

func leave(depth int, n *int) {
	defer func() { *n += depth }()
	if depth == 0 {
		runtime.Goexit()
	}
	leave(depth-1, n)
	*n += 1000
}

// Pipeline has goroutines that wait for each other.
func Pipeline(stages, n int) (sum int) {
	in := make(chan int)
	first := in
	for s := range stages {
		from, out := in, make(chan int, s%3)
		go func() {
			defer close(out)
			for x := range from {
				if x%2 == 0 {
					x += s
				} else {
					x -= s
				}
				out <- x
			}
		}()
		in = out
	}
	go func() {
		for i := range n {
			first <- i
		}
		close(first)
	}()
	for x := range in {
		sum += x
	}
	return sum
}

// Where returns the functions and lines on the stack, as runtime.Callers and debug.Stack have them.
func Where(depth int, by func(int) string) string {
	if depth > 0 {
		if depth%2 == 0 {
			return by(depth - 1)
		}
		return Where(depth-1, by)
	}
	var pcs [64]uintptr
	var b strings.Builder
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs[:])])
	for {
		f, more := frames.Next()
		fmt.Fprintln(&b, f.Function, f.Line, f.PC-f.Entry)
		if !more {
			break
		}
	}
	for l := range strings.Lines(string(debug.Stack())) {
		if strings.HasPrefix(l, "\t") {
			b.WriteString(l) // a position
		}
	}
	return b.String()
}

// Words sorts words, and calls back from code that has no copy.
func Words(n int) string {
	var words []string
	for i := range n {
		words = append(words, strings.Repeat(string(rune('a'+i*7%26)), 1+i%5))
	}
	slices.SortFunc(words, func(a, b string) int {
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return strings.Compare(a, b)
	})
	return strings.Join(slices.Compact(words), " ")
}
