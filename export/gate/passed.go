package gate

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/goprofinstr/goprofinstr/internal/show"
)

// passedText is the one line about a check that has passed: all gates, and what they are not about.
func passedText(r *Result) string {
	var parts []string
	for _, g := range r.Gates {
		parts = append(parts, demandText(r, g))
	}
	text := "ok    " + strings.Join(parts, "; ")
	if notes := notes(r); len(notes) > 0 {
		text += "; " + strings.Join(notes, "; ")
	}
	return text
}

// notes says what is not demanded and what is not known, each in a few words.
func notes(r *Result) (list []string) {
	if r.Infeasible.Sign() > 0 && r.demands(Path) {
		list = append(list, fmt.Sprintf("not demanded: %s on which conditions contradict each other", show.PluralBig(r.Infeasible, "path")))
	}
	list = append(list, r.apartNotes()...)
	list = append(list, r.primeNotes()...)
	list = append(list, r.ignoredNotes()...)
	if n := len(r.Unknown); n > 0 {
		list = append(list, fmt.Sprintf("demanded: infeasible paths of %s, which would take too long to count", show.Plural(n, "function")))
	}
	if n := len(r.NotRun); n > 0 {
		list = append(list, fmt.Sprintf("not run: the tests of %s: %s", show.Plural(n, "package"), show.First(r.NotRun, mostUnread)))
	}
	if r.Declined > 0 {
		list = append(list, fmt.Sprintf("declined: %s, not in these numbers", show.Plural(r.Declined, "function")))
	}
	for _, g := range r.Gates {
		if g.Coverage.Doubtful.Sign() > 0 {
			list = append(list, doubtText(g))
		}
	}
	return list
}

// demands reports whether there is a gate on a measure.
func (r *Result) demands(m Measure) bool {
	return slices.ContainsFunc(r.Gates, func(g Gate) bool { return g.Measure == m })
}

// mostDigits is how many digits behind the point are enough to tell any two coverages apart that differ by one of
// some ten million.
const mostDigits = 8

// percents returns a coverage and what was wanted, with as many digits as it takes to tell them apart if they differ.
func percents(have, want Coverage) (string, string) {
	a, b := show.PercentBig(have.Covered, have.Possible), show.PercentBig(want.Covered, want.Possible)
	if a != b || have.share().Cmp(want.share()) == 0 {
		return a, b
	}
	for digits := 2; a == b && digits <= mostDigits; digits++ {
		a, b = percent(have.share(), digits), percent(want.share(), digits)
	}
	return a, b
}

// below returns a coverage that is less than what was wanted, with as many digits as it takes to see that.
func below(have Coverage, want float64) string {
	text := show.PercentBig(have.Covered, have.Possible)
	for digits := 1; digits <= mostDigits; digits++ {
		if n, err := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64); err != nil || n < want {
			break
		}
		text = percent(have.share(), digits)
	}
	return text
}

func percent(share *big.Rat, digits int) string {
	return new(big.Rat).Mul(share, big.NewRat(100, 1)).FloatString(digits) + "%"
}
