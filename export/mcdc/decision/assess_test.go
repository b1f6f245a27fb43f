package decision

import "testing"

// TestStates pins what is said of conditions that are constant, coupled or hidden.
func TestStates(t *testing.T) {
	c := func(i int) *Expr { return &Expr{Op: Condition, Index: i} }
	and := func(x, y *Expr) *Expr { return &Expr{Op: And, X: x, Y: y} }
	or := func(x, y *Expr) *Expr { return &Expr{Op: Or, X: x, Y: y} }
	const s, f, u = Skipped, False, True
	same := Coupling{A: 0, B: 1, Strong: true, Excludes: [][2]Literal{{{0, u}, {1, f}}, {{0, f}, {1, u}}}}
	again := Coupling{A: 0, B: 2, Strong: true, Excludes: [][2]Literal{{{0, u}, {2, f}}, {{0, f}, {2, u}}}}
	exclusive := Coupling{A: 0, B: 1, Excludes: [][2]Literal{{{0, u}, {1, u}}}}
	for _, test := range []struct {
		name    string
		problem Problem
		seen    []Observation
		want    string
	}{
		{"constant", Problem{Expr: or(and(c(0), c(1)), c(2)), Fixed: map[int]Value{0: False}},
			[]Observation{{[]Vector{{f, s, u}}}, {[]Vector{{f, s, f}}}}, "constant infeasible shown"},
		{"the same twice", Problem{Expr: or(c(0), c(1)), Couplings: []Coupling{same}}, nil, "missing infeasible"},
		{"the same twice, contradicted", Problem{Expr: or(c(0), c(1)), Couplings: []Coupling{same}},
			[]Observation{{[]Vector{{f, u}}}}, "missing missing"},
		// x && y || x && z has the conditions 0, 1, 2 and 3. y is what the two of x are not changed with.
		{"the same in both halves", Problem{Expr: or(and(c(0), c(1)), and(c(2), c(3))), Couplings: []Coupling{again}},
			[]Observation{{[]Vector{{u, u, s, s}}}, {[]Vector{{f, s, f, s}}}, {[]Vector{{u, f, u, u}}}, {[]Vector{{u, f, u, f}}}},
			"shown shown shown shown"},
		{"exclusive", Problem{Expr: and(c(0), c(1)), Couplings: []Coupling{exclusive}}, nil, "infeasible infeasible"},
		{"hidden last of two", Problem{Expr: and(c(0), c(1)), Hidden: map[int]bool{1: true}},
			[]Observation{{[]Vector{{f, s}}}, {[]Vector{{u, u}, {u, f}}}}, "unknown unknown"},
		// a && (b || c): what c is does not matter where b is true.
		{"hidden last of three", Problem{Expr: and(c(0), or(c(1), c(2))), Hidden: map[int]bool{2: true}},
			[]Observation{{[]Vector{{f, s, s}}}, {[]Vector{{u, u, s}}}, {[]Vector{{u, f, u}, {u, f, f}}}}, "shown unknown unknown"},
		{"hidden, and the first missing", Problem{Expr: and(c(0), or(c(1), c(2))), Hidden: map[int]bool{2: true}},
			[]Observation{{[]Vector{{u, f, u}, {u, f, f}}}}, "missing unknown unknown"},
	} {
		r := Assess(&test.problem, test.seen)
		got := ""
		for i, e := range r.Effects {
			if i > 0 {
				got += " "
			}
			got += string(e.State)
		}
		if got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

// TestCoupled: a condition that occurs twice is never shown by unique cause, but by masking.
func TestCoupled(t *testing.T) {
	c := func(i int) *Expr { return &Expr{Op: Condition, Index: i} }
	e := &Expr{Op: Or, X: &Expr{Op: And, X: c(0), Y: c(1)}, Y: &Expr{Op: And, X: c(2), Y: c(3)}}
	again := Coupling{A: 0, B: 2, Strong: true, Excludes: [][2]Literal{{{0, True}, {2, False}}, {{0, False}, {2, True}}}}
	p := &Problem{Expr: e, Couplings: []Coupling{again}}
	var seen []Observation
	possible, _ := e.Vectors(4, mostVectors, func(v Vector, i int, is Value) bool { return i != 2 || v[0] == is })
	for _, v := range possible {
		seen = append(seen, Observation{[]Vector{v}})
	}
	r := Assess(p, seen)
	for i, want := range []Criterion{UniqueCause, UniqueCause, UniqueCauseMasking, UniqueCause} {
		if got := r.Effects[i]; got.By != want {
			t.Errorf("condition %d is shown by %s: %v, want %s", i, got.By, got.Pair, want)
		}
	}
}

// TestManyConditions: a decision with more vectors than are looked at is assessed all the same.
func TestManyConditions(t *testing.T) {
	const n = 40 // 20 pairs: a million vectors
	var e *Expr
	for i := 0; i < n; i += 2 {
		pair := &Expr{Op: Or, X: &Expr{Op: Condition, Index: i}, Y: &Expr{Op: Condition, Index: i + 1}}
		if e == nil {
			e = pair
		} else {
			e = &Expr{Op: And, X: e, Y: pair}
		}
	}
	all, _ := e.Evaluate(n, func(int) Value { return True })
	r := Assess(&Problem{Expr: e}, []Observation{{[]Vector{all}}})
	if !r.Partial {
		t.Error("not partial")
	}
	for i, effect := range r.Effects {
		if effect.State != Missing {
			t.Errorf("condition %d is %s", i, effect.State)
		}
	}
}
