package table

import "fmt"

// A Fact is something known about a condition of a function at a moment on a path. The condition is true or false, or from then
// on may be other than it was before. Conditions are numbered from 0; one number stands for all in the source that must have the
// same outcome.
type Fact int

// NewFact returns the fact that a condition is so.
func NewFact(condition int, is bool) Fact {
	if is {
		return Fact(3*condition + 2)
	}
	return Fact(3*condition + 1)
}

// Forget returns the fact that a condition may have changed.
func Forget(condition int) Fact { return Fact(3 * condition) }

// Condition returns the number of the condition.
func (f Fact) Condition() int { return int(f) / 3 }

// Forgets reports whether the condition may have changed.
func (f Fact) Forgets() bool { return f%3 == 0 }

// Opposite returns the fact that the condition is the other way round; of one that forgets, the same.
func (f Fact) Opposite() Fact {
	switch f % 3 {
	case 1:
		return f + 1
	case 2:
		return f - 1
	}
	return f
}

// String returns "2 true", "2 false" or "2 forgotten" for facts of condition 2.
func (f Fact) String() string {
	return fmt.Sprint(f.Condition(), []string{" forgotten", " false", " true"}[f%3])
}

// Of returns the same fact about another condition.
func (f Fact) Of(condition int) Fact { return Fact(3*condition) + f%3 }
