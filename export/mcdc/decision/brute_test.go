package decision

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
)

var exhaustive = flag.Bool("exhaustive", false,
	"try all sets of vectors with negations everywhere, and 10,000 larger decisions: a minute")

// trees returns all decisions of n conditions, numbered from first on, with a negation before each node or not. Without
// negations there are none.
func trees(n, first int, negations bool) (list []*Expr) {
	add := func(e *Expr) {
		list = append(list, e)
		if negations {
			list = append(list, &Expr{Op: Not, X: e})
		}
	}
	if n == 1 {
		add(&Expr{Op: Condition, Index: first})
		return list
	}
	for left := 1; left < n; left++ {
		for _, x := range trees(left, first, negations) {
			for _, y := range trees(n-left, first+left, negations) {
				add(&Expr{Op: And, X: x, Y: y})
				add(&Expr{Op: Or, X: x, Y: y})
			}
		}
	}
	return list
}

// randomTree returns a decision of n conditions.
func randomTree(rnd *rand.Rand, n, first int) *Expr {
	e := &Expr{Op: Condition, Index: first}
	if n > 1 {
		left := 1 + rnd.IntN(n-1)
		e = &Expr{Op: And + Op(rnd.IntN(2)), X: randomTree(rnd, left, first), Y: randomTree(rnd, n-left, first+left)}
	}
	if rnd.IntN(4) == 0 {
		e = &Expr{Op: Not, X: e}
	}
	return e
}

// truth is the truth table of a decision, by definition: nothing in it follows from the tree but values.
type truth struct {
	n       int
	outcome []bool   // by assignment: bit i is the value of condition i
	vector  []string // with which an assignment is evaluated
	vectors map[string]Vector
}

func newTruth(e *Expr, n int) *truth {
	t := &truth{n: n, vectors: make(map[string]Vector)}
	for x := range 1 << n {
		v := make(Vector, n)
		t.outcome = append(t.outcome, run(e, func(i int) bool {
			is := x>>i&1 == 1
			v[i] = False
			if is {
				v[i] = True
			}
			return is
		}))
		t.vector = append(t.vector, v.key())
		t.vectors[v.key()] = v
	}
	return t
}

// run executes a decision with Go's own operators.
func run(e *Expr, condition func(int) bool) bool {
	switch e.Op {
	case Condition:
		return condition(e.Index)
	case Not:
		return !run(e.X, condition)
	case And:
		return run(e.X, condition) && run(e.Y, condition)
	}
	return run(e.X, condition) || run(e.Y, condition)
}

// toggles reports whether another value of a condition alone gives another outcome.
func (t *truth) toggles(x, i int) bool { return t.outcome[x] != t.outcome[x^1<<i] }

// criteria returns the strictest criterion by which two vectors show the effect of each condition, by the definitions:
// some assignments with these vectors do.
func (t *truth) criteria(coupled func(i, j int) bool) map[[2]string][]Criterion {
	by := make(map[[2]string][]Criterion)
	for x := range t.outcome {
		for y := range t.outcome {
			pair := [2]string{t.vector[x], t.vector[y]}
			if by[pair] == nil {
				by[pair] = make([]Criterion, t.n)
			}
			for i := range t.n {
				by[pair][i] = max(by[pair][i], t.criterion(x, y, i, coupled))
			}
		}
	}
	return by
}

func (t *truth) criterion(x, y, i int, coupled func(i, j int) bool) Criterion {
	v, w := t.vectors[t.vector[x]], t.vectors[t.vector[y]]
	if (x^y)>>i&1 == 0 || t.outcome[x] == t.outcome[y] || v[i] == Skipped || w[i] == Skipped {
		return 0
	}
	if x^y == 1<<i {
		return UniqueCause
	}
	if !t.toggles(x, i) || !t.toggles(y, i) {
		return 0
	}
	for j := range t.n {
		if j != i && (x^y)>>j&1 == 1 && !coupled(i, j) {
			return Masking
		}
	}
	return UniqueCauseMasking
}

// check holds the assessment of a decision, given some of its vectors, against the definitions.
func check(t *testing.T, e *Expr, truth *truth, by map[[2]string][]Criterion, couplings []Coupling, seen []string) {
	p := &Problem{Expr: e, Couplings: couplings}
	var observed []Observation
	for _, key := range seen {
		observed = append(observed, Observation{[]Vector{truth.vectors[key]}})
	}
	r := Assess(p, observed)
	for i, effect := range r.Effects {
		want := Criterion(0)
		for _, v := range seen {
			for _, w := range seen {
				want = max(want, by[[2]string{v, w}][i])
			}
		}
		if effect.By != want || (effect.State == Shown) != (want > 0) || !(effect.State == Shown || effect.State == Missing) {
			t.Fatalf("%s with %v: condition %d is %s by %q, want %q", text(e), vectorsOf(truth, seen), i, effect.State,
				effect.By, want)
		}
		if want > 0 && by[[2]string{effect.Pair[0].key(), effect.Pair[1].key()}][i] != want {
			t.Fatalf("%s with %v: condition %d by %v", text(e), vectorsOf(truth, seen), i, effect.Pair)
		}
		if effect.State == Missing {
			checkWanted(t, e, by, i, &effect)
		}
	}
	for _, v := range r.Suggest {
		observed = append(observed, Observation{[]Vector{v}})
	}
	for i, effect := range Assess(p, observed).Effects {
		if effect.State != Shown {
			t.Fatalf("%s with %v and then %v: condition %d is %s", text(e), vectorsOf(truth, seen), r.Suggest, i, effect.State)
		}
	}
	if len(observed) == len(seen) && len(r.Suggest) > 0 {
		t.Fatalf("%s: suggests %v", text(e), r.Suggest)
	}
}

// checkWanted: the pair that is named shows the effect.
func checkWanted(t *testing.T, e *Expr, by map[[2]string][]Criterion, i int, effect *Effect) {
	pair := effect.Want
	if effect.Have != nil {
		pair = append([]Vector{effect.Have}, pair...)
	}
	if len(pair) != 2 || by[[2]string{pair[0].key(), pair[1].key()}][i] == 0 {
		t.Fatalf("%s: condition %d: have %v, want %v", text(e), i, effect.Have, effect.Want)
	}
}

func vectorsOf(t *truth, keys []string) (list []string) {
	for _, key := range keys {
		list = append(list, t.vectors[key].String())
	}
	return list
}

// text writes a decision as Go does, with all parentheses.
func text(e *Expr) string {
	switch e.Op {
	case Condition:
		return string(rune('a' + e.Index))
	case Not:
		return "!" + text(e.X)
	case And:
		return fmt.Sprintf("(%s && %s)", text(e.X), text(e.Y))
	}
	return fmt.Sprintf("(%s || %s)", text(e.X), text(e.Y))
}

// keysOf returns the vectors of a decision, in order.
func keysOf(t *truth) (keys []string) {
	known := make(map[string]bool)
	for _, key := range t.vector {
		if !known[key] {
			known[key] = true
			keys = append(keys, key)
		}
	}
	return keys
}

func subset(keys []string, bits uint64) (list []string) {
	for i, key := range keys {
		if bits>>i&1 == 1 {
			list = append(list, key)
		}
	}
	return list
}

// TestVectors: what the tree says of vectors is what Go evaluates.
func TestVectors(t *testing.T) {
	most := 4
	if testing.Short() {
		most = 3
	}
	for n := 1; n <= most; n++ {
		for _, e := range trees(n, 0, true) {
			truth := newTruth(e, n)
			list, more := e.Vectors(n, mostVectors, func(Vector, int, Value) bool { return true })
			if more || len(list) != len(truth.vectors) || e.Conditions() != n {
				t.Fatalf("%s has %d vectors, want %d", text(e), len(list), len(truth.vectors))
			}
			for x, key := range truth.vector {
				v := truth.vectors[key]
				if e.Outcome(v) != valueOf(truth.outcome[x]) {
					t.Fatalf("%s with %v is %v", text(e), v, e.Outcome(v))
				}
			}
			for _, v := range list {
				if truth.vectors[v.key()] == nil {
					t.Fatalf("%s is never evaluated as %v", text(e), v)
				}
			}
		}
	}
}

// TestSmall holds all decisions of up to four conditions against the definitions, in all sets of vectors where no
// node is negated.
func TestSmall(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	decisions, sets := 0, 0
	none := func(i, j int) bool { return false }
	for n := 1; n <= 4; n++ {
		for _, negations := range []bool{false, true} {
			for _, e := range trees(n, 0, negations) {
				truth := newTruth(e, n)
				by, keys := truth.criteria(none), keysOf(truth)
				decisions++
				if all := uint64(1) << len(keys); !negations || *exhaustive {
					for bits := range all {
						check(t, e, truth, by, nil, subset(keys, bits))
						sets++
					}
					continue
				}
				for range 4 {
					check(t, e, truth, by, nil, subset(keys, rnd.Uint64()))
					sets++
				}
			}
		}
	}
	t.Logf("%d decisions, %d sets of vectors", decisions, sets)
}

// TestRandom holds decisions of five and six conditions against the definitions, with random sets of vectors and with
// conditions that are said to be coupled.
func TestRandom(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	shown := make(map[Criterion]int)
	decisions := 500
	if *exhaustive {
		decisions = 10_000
	}
	for i := range decisions {
		n := 5 + i%2
		e := randomTree(rnd, n, 0)
		truth := newTruth(e, n)
		couplings := randomCouplings(rnd, n)
		by := truth.criteria(func(i, j int) bool {
			for _, c := range couplings {
				if c.A == i && c.B == j || c.A == j && c.B == i {
					return true
				}
			}
			return false
		})
		seen := subset(keysOf(truth), rnd.Uint64())
		check(t, e, truth, by, couplings, seen)
		for _, v := range seen {
			for _, w := range seen {
				for _, c := range by[[2]string{v, w}] {
					shown[c]++
				}
			}
		}
	}
	if t.Logf("pairs by criterion: %v", shown); len(shown) != 4 {
		t.Error("not all criteria were tried")
	}
}

// randomCouplings returns couplings that exclude nothing.
func randomCouplings(rnd *rand.Rand, n int) (list []Coupling) {
	for range rnd.IntN(3) {
		if i, j := rnd.IntN(n), rnd.IntN(n); i != j {
			list = append(list, Coupling{A: i, B: j, Strong: true})
		}
	}
	return list
}
