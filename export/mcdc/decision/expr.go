package decision

// An Op is what a node of an expression does.
type Op int8

// The operations.
const (
	Condition Op = iota // a leaf
	Not
	And
	Or
)

// An Expr is a decision, or an operand of one. Conditions are numbered from 0 in the order of their evaluation.
type Expr struct {
	Op    Op
	X, Y  *Expr // Y of And and Or only
	Index int   // of a Condition
}

// Conditions returns how many conditions e has.
func (e *Expr) Conditions() int {
	switch e.Op {
	case Condition:
		return 1
	case Not:
		return e.X.Conditions()
	}
	return e.X.Conditions() + e.Y.Conditions()
}

// neutral is the value of the first operand for which the second one is evaluated: true for &&, false for ||.
func (e *Expr) neutral() Value { return valueOf(e.Op == And) }

// Evaluate evaluates e as Go does. Value returns that of a condition, or Skipped if it is not known. Then the
// evaluation stops, and the outcome is Skipped, too. The vector has the n conditions up to there.
func (e *Expr) Evaluate(n int, value func(condition int) Value) (v Vector, outcome Value) {
	v = make(Vector, n)
	return v, e.evaluate(v, value)
}

func (e *Expr) evaluate(v Vector, value func(int) Value) Value {
	switch e.Op {
	case Condition:
		v[e.Index] = value(e.Index)
		return v[e.Index]
	case Not:
		return e.X.evaluate(v, value).not()
	}
	if x := e.X.evaluate(v, value); x != e.neutral() {
		return x
	}
	return e.Y.evaluate(v, value)
}

// Outcome returns the outcome of a whole vector.
func (e *Expr) Outcome(v Vector) Value {
	_, outcome := e.Evaluate(len(v), func(i int) Value { return v[i] })
	return outcome
}

// Decides tells which conditions decide the outcome of a whole vector: those that were evaluated and are not masked.
func (e *Expr) Decides(v Vector) []bool {
	decides := make([]bool, len(v))
	e.decide(v, true, decides)
	return decides
}

// decide returns the value of e, and sets decides for conditions in it if e decides.
func (e *Expr) decide(v Vector, live bool, decides []bool) Value {
	switch e.Op {
	case Condition:
		decides[e.Index] = live && v[e.Index] != Skipped
		return v[e.Index]
	case Not:
		return e.X.decide(v, live, decides).not()
	}
	y := e.Y.outcomeIn(v)
	masked := y == e.neutral().not()
	x := e.X.decide(v, live && !masked, decides)
	if x != e.neutral() {
		return x
	}
	return e.Y.decide(v, live, decides)
}

// outcomeIn is Outcome for an operand, which may not have been evaluated.
func (e *Expr) outcomeIn(v Vector) Value {
	switch e.Op {
	case Condition:
		return v[e.Index]
	case Not:
		return e.X.outcomeIn(v).not()
	}
	if x := e.X.outcomeIn(v); x != e.neutral() {
		return x
	}
	return e.Y.outcomeIn(v)
}

// What comes behind a condition, if it is no other condition: an outcome.
const (
	ToFalse = -1 - iota
	ToTrue
)

// Next tells what is evaluated behind each of n conditions where it is true, and where it is false: a condition, ToTrue
// or ToFalse. Condition 0 is the first of all.
func (e *Expr) Next(n int) (isTrue, isFalse []int) {
	isTrue, isFalse = make([]int, n), make([]int, n)
	e.next(ToTrue, ToFalse, isTrue, isFalse)
	return isTrue, isFalse
}

// next sets what comes behind the conditions of e, given what comes behind e, and returns the first of them.
func (e *Expr) next(behindTrue, behindFalse int, isTrue, isFalse []int) int {
	switch e.Op {
	case Condition:
		isTrue[e.Index], isFalse[e.Index] = behindTrue, behindFalse
		return e.Index
	case Not:
		return e.X.next(behindFalse, behindTrue, isTrue, isFalse)
	}
	y := e.Y.next(behindTrue, behindFalse, isTrue, isFalse)
	if e.Op == And {
		return e.X.next(y, behindFalse, isTrue, isFalse)
	}
	return e.X.next(behindTrue, y, isTrue, isFalse)
}

// Vectors returns the vectors that e can have, at most so many of them. Allowed tells of a value of a condition
// whether it is possible with those before; more tells that there are others.
func (e *Expr) Vectors(n, most int, allowed func(v Vector, condition int, is Value) bool) (list []Vector, more bool) {
	v := make(Vector, n)
	e.each(v, allowed, func(Value) bool {
		if len(list) == most {
			more = true
			return false
		}
		list = append(list, v.clone())
		return true
	})
	return list, more
}

// each calls then with each outcome that e can have, while v has the values for it, until then returns false.
func (e *Expr) each(v Vector, allowed func(Vector, int, Value) bool, then func(Value) bool) bool {
	switch e.Op {
	case Condition:
		for _, is := range []Value{True, False} {
			if !allowed(v, e.Index, is) {
				continue
			}
			v[e.Index] = is
			goOn := then(is)
			v[e.Index] = Skipped
			if !goOn {
				return false
			}
		}
		return true
	case Not:
		return e.X.each(v, allowed, func(is Value) bool { return then(is.not()) })
	}
	return e.X.each(v, allowed, func(is Value) bool {
		if is != e.neutral() {
			return then(is)
		}
		return e.Y.each(v, allowed, then)
	})
}
