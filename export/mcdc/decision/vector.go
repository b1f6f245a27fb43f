package decision

import (
	"slices"
	"strings"
)

// A Value is that of a condition in an evaluation, or of a decision.
type Value int8

// The values.
const (
	Skipped Value = iota // it was not evaluated, or is not known
	False
	True
)

func valueOf(is bool) Value {
	if is {
		return True
	}
	return False
}

func (v Value) not() Value {
	switch v {
	case True:
		return False
	case False:
		return True
	}
	return Skipped
}

// String returns "true", "false" or "–".
func (v Value) String() string { return []string{"–", "false", "true"}[v] }

// A Vector has the value of each condition of a decision in one evaluation, by its number.
type Vector []Value

// String returns "true·false·–".
func (v Vector) String() string {
	parts := make([]string, len(v))
	for i, is := range v {
		parts[i] = is.String()
	}
	return strings.Join(parts, "·")
}

func (v Vector) clone() Vector { return slices.Clone(v) }

// key is v as the key of a map.
func (v Vector) key() string {
	b := make([]byte, len(v))
	for i, is := range v {
		b[i] = byte(is)
	}
	return string(b)
}

// differ reports whether a condition has one value in v and the other in w.
func (v Vector) differ(w Vector, i int) bool {
	return v[i] != Skipped && w[i] != Skipped && v[i] != w[i]
}

// distance returns how many conditions differ.
func (v Vector) distance(w Vector) (n int) {
	for i := range v {
		if v.differ(w, i) {
			n++
		}
	}
	return n
}
