package pcct

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// A simulation runs programs made of functions, with a clock that ticks, and looks at its stack then. It knows which
// activations are new.
type simulation struct {
	stack  []*activation // outermost first
	next   int           // time of the next tick
	now    int
	ticks  int
	look   func(stack []*activation)
	random *rand.Rand
	truth  *spent // of the innermost activation
}

const tickTime = 1000

type activation struct {
	f    *function
	call uintptr // where it is
	seen int     // tick at which it was first seen, 0 if it has not been

	truth *spent
}

// What a context really spent: time, and that of ticks that were the first in one of its activations.
type spent struct {
	name      string // of the function
	outer     *spent
	inner     map[string]*spent
	time, new int
}

// in returns what a function has spent in a context.
func (s *spent) in(name string) *spent {
	if s.inner[name] == nil {
		if s.inner == nil {
			s.inner = make(map[string]*spent)
		}
		s.inner[name] = &spent{name: name, outer: s}
	}
	return s.inner[name]
}

// A function works, and calls functions: each once, or in a loop.
type function struct {
	name  string
	mark  bool // it has a loop, or calls others that are not brief
	entry uintptr
	body  func(m *simulation)
}

// size is that of all frames.
const size = 64

func (m *simulation) call(at uintptr, f *function) {
	if len(m.stack) > 0 {
		m.top().call = m.top().f.entry + at
	}
	m.truth = m.truth.in(f.name)
	m.stack = append(m.stack, &activation{f: f, call: f.entry, truth: m.truth})
	f.body(m)
	m.stack = m.stack[:len(m.stack)-1]
	m.truth = m.truth.outer
}

func (m *simulation) top() *activation { return m.stack[len(m.stack)-1] }

func newSimulation() *simulation {
	return &simulation{next: tickTime, random: rand.New(rand.NewPCG(1, 2)), truth: new(spent)}
}

// work takes time in the innermost function, at one of a few places.
func (m *simulation) work(time int) {
	for ; time > 0; time-- {
		m.now++
		m.truth.time++
		if m.now >= m.next {
			m.next = m.now + tickTime
			m.ticks++
			m.top().call = m.top().f.entry + 500 + uintptr(m.random.IntN(5))
			m.look(m.stack)
			if m.ticks == 4000 {
				panic(m)
			}
			for _, a := range m.stack {
				if a.seen == 0 {
					a.seen = m.ticks
					a.truth.new += tickTime
				}
			}
		}
	}
}

// run runs a program until there have been enough ticks.
func (m *simulation) run(main *function) {
	defer func() {
		if e := recover(); e != m {
			panic(e)
		}
	}()
	for {
		m.call(0, main)
	}
}

// simulated are the programs.
var simulated = map[string]func() *function{
	"figure 5: one call of D takes long":  figure5,
	"figure 9: recursion":                 figure9,
	"figure 10: a deep sequence of calls": figure10,
	"fib":                                 fib,
	"often called and long running":       oftenAndLong,
	"even and odd":                        evenOdd,
	"a parser":                            parser,
}

// TestOld runs programs with the properties of PCCT's figures 5, 6, 9 and 10 and others. It holds what History.Old finds out
// against what is known.
func TestOld(t *testing.T) {
	for name, program := range simulated {
		t.Run(name, func(t *testing.T) {
			right, all := age(program())
			t.Logf("%d of %d activations right (%.2f%%)", right, all, 100*float64(right)/float64(all))
			if float64(right) < 0.99*float64(all) {
				t.Errorf("less than 99%%")
			}
		})
	}
}

// age runs a program and returns how often an activation was rightly found to be new or old, and how many there were.
func age(main *function) (right, all int) {
	var h History
	marks := make(map[*activation]bool)
	m := newSimulation()
	m.look = func(stack []*activation) {
		n := len(stack)
		seen := make([]Activation, n)
		for i, a := range stack {
			seen[n-1-i] = Activation{Place{a.call, uintptr(1_000_000 - i*size)}, a.kind(marks[a])}
			marks[a] = a.f.mark
		}
		old := make([]bool, n)
		h.Old(1, seen, old)
		for i, a := range stack {
			all++
			if old[n-1-i] == (a.seen != 0) {
				right++
			}
		}
	}
	m.run(main)
	return right, all
}

// kind is what the sampler knows of an activation, which it may have marked.
func (a *activation) kind(marked bool) ActivationKind {
	switch {
	case marked:
		return Marked
	case a.f.mark:
		return Unmarked
	}
	return Brief
}

var entryPoints uintptr

func newFunction(name string, mark bool, body func(m *simulation)) *function {
	entryPoints += 1000
	return &function{name, mark, entryPoints, body}
}

// figure5 has M call A, which calls B often and C once for long, and D once, which calls A for B only, and C.
func figure5() *function {
	b := newFunction("B", false, func(m *simulation) { m.work(3) })
	c := newFunction("C", true, func(m *simulation) { m.work(12_000) })
	c2 := newFunction("C2", false, func(m *simulation) { m.work(20) })
	var a *function
	long := true
	a = newFunction("A", true, func(m *simulation) {
		for range 30 {
			m.call(1, b)
		}
		if long {
			m.call(2, c)
		}
	})
	d := newFunction("D", true, func(m *simulation) { long = false; m.call(1, a); long = true; m.call(2, c2) })
	return newFunction("M", true, func(m *simulation) {
		for {
			m.call(1, a)
			m.call(2, d)
			m.call(3, d)
		}
	})
}

// figure9 has A call B call A, to depth 20, with work on the way.
func figure9() *function {
	var a, b *function
	depth := 0
	a = newFunction("A", true, func(m *simulation) { m.work(40); m.call(1, b) })
	b = newFunction("B", true, func(m *simulation) {
		m.work(25)
		if depth++; depth < 20 {
			m.call(1, a)
		}
		m.work(15)
	})
	return newFunction("M", true, func(m *simulation) {
		for {
			depth = 0
			m.call(1, a)
		}
	})
}

// figure10 has a shallow branch and one with a sequence of 100 calls.
func figure10() *function {
	var deep *function
	depth := 0
	leaf := newFunction("leaf", true, func(m *simulation) { m.work(3500) })
	shallow := newFunction("shallow", true, func(m *simulation) { m.work(2500) })
	deep = newFunction("deep", true, func(m *simulation) {
		if depth++; depth < 100 {
			m.call(1, deep)
		} else {
			m.call(2, leaf)
		}
	})
	return newFunction("M", true, func(m *simulation) {
		for {
			m.call(1, shallow)
			depth = 0
			m.call(2, deep)
		}
	})
}

func fib() *function {
	var f *function
	n := 18
	f = newFunction("fib", true, func(m *simulation) {
		m.work(1)
		if n < 2 {
			return
		}
		n--
		m.call(1, f)
		n--
		m.call(2, f)
		n += 2
	})
	return newFunction("M", true, func(m *simulation) {
		for {
			m.call(1, f)
		}
	})
}

func oftenAndLong() *function {
	often := newFunction("often", false, func(m *simulation) { m.work(7) })
	long := newFunction("long", true, func(m *simulation) { m.work(30_000) })
	return newFunction("M", true, func(m *simulation) {
		for {
			for range 3000 {
				m.call(1, often)
			}
			m.call(2, long)
		}
	})
}

func evenOdd() *function {
	var even, odd *function
	n := 0
	work := newFunction("work", true, func(m *simulation) { m.work(700) })
	even = newFunction("even", true, func(m *simulation) {
		if n > 0 {
			n--
			m.call(1, odd)
		} else {
			m.call(2, work)
		}
	})
	odd = newFunction("odd", true, func(m *simulation) {
		n--
		m.call(1, even)
		m.call(2, work)
	})
	return newFunction("M", true, func(m *simulation) {
		for {
			n = 10
			m.call(1, even)
		}
	})
}

// parser has calls of all lengths.
func parser() *function {
	var expr, stmt, block *function
	depth := 0
	next := newFunction("next", true, func(m *simulation) { m.work(3) })
	atom := newFunction("atom", true, func(m *simulation) { m.call(1, next); m.work(2) })
	unary := newFunction("unary", true, func(m *simulation) { m.call(1, atom); m.call(2, next) })
	expr = newFunction("expr", true, func(m *simulation) {
		for range 1 + m.random.IntN(3) {
			m.call(1, unary)
			if depth < 30 && m.random.IntN(3) == 0 {
				depth++
				m.call(2, expr)
				depth--
			}
		}
	})
	assign := newFunction("assign", true, func(m *simulation) { m.call(1, expr); m.call(2, next); m.call(3, expr) })
	stmt = newFunction("stmt", true, func(m *simulation) {
		if depth < 30 && m.random.IntN(20) == 0 {
			depth++
			m.call(1, block)
			depth--
		} else {
			m.call(2, assign)
		}
	})
	block = newFunction("block", true, func(m *simulation) {
		for range 10 {
			m.call(1, stmt)
		}
	})
	return newFunction("M", true, func(m *simulation) {
		for {
			m.call(1, block)
		}
	})
}

func ExampleHistory_Old() {
	var h History
	stack := []Activation{{Place{30, 300}, Unmarked}, {Place{20, 200}, Unknown}, {Place{10, 100}, Unmarked}}
	old := make([]bool, 3)
	h.Old(1, stack, old)
	fmt.Println(old)
	stack[2].Kind = Marked // and the function that is not instrumented is where it was
	h.Old(1, stack, old)
	fmt.Println(old)
	stack[2].PC++ // another call
	h.Old(1, stack, old)
	fmt.Println(old)
	// Output:
	// [false false false]
	// [false true true]
	// [false false true]
}
