package show

import (
	"strings"
	"unicode/utf8"
)

// MostSteps is how many lines of a path are shown where space is dear;
// the middle of longer ones is left out. Twelve lines of three digits fill half
// a terminal's width.
const MostSteps = 12

// Steps returns the steps of a path as "12→14→17". If there are more
// than most (at least 3), the middle is replaced by "…".
func Steps(steps []string, most int) string {
	if len(steps) <= most {
		return AllSteps(steps)
	}
	// The start tells more about a path than its end.
	tail := max(1, (most-1)/3)
	head := most - 1 - tail
	return AllSteps(steps[:head]) + "→…→" + AllSteps(steps[len(steps)-tail:])
}

// AllSteps is Steps in full.
func AllSteps(steps []string) string { return strings.Join(steps, "→") }

// FitSteps returns the steps of a path, abbreviated to at most space runes
// if that takes no fewer than three of them.
func FitSteps(steps []string, space int) string {
	s := Steps(steps, MostSteps)
	for most := MostSteps - 1; most >= 3 && utf8.RuneCountInString(s) > space; most-- {
		s = Steps(steps, most)
	}
	return s
}
