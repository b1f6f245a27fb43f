package accuracy

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/goprofinstr/goprofinstr/export/profile"
)

// A Missed outcome was seen in the actual profile, and not in the estimate.
type Missed struct {
	Outcome string // with its function and place
	Times   int64  // that it was seen
}

func (m Missed) String() string { return fmt.Sprintf("%s, %d times", m.Outcome, m.Times) }

// Outcomes says what an estimate is wrong about of the conditions of the actual profile. seen is how many outcomes,
// true or false, were seen in the actual profile at all. never are those of them that are known never to have
// happened by the estimate, so that a report calls them "never". The most frequent ones come first. What it has not
// seen and does not know is no mistake. Conditions are joined by function and order.
//
// It is an error if the profiles are of different programs.
func Outcomes(actual, estimate *profile.Profile) (seen int, never []Missed, err error) {
	estimated := make(map[string]*profile.Function)
	for _, f := range estimate.Functions() {
		estimated[functionName(f)] = f
	}
	for _, f := range actual.Functions() {
		all, conditions := f.Conditions(), []profile.Condition(nil)
		if e := estimated[functionName(f)]; e != nil {
			conditions = e.Conditions()
		}
		if len(conditions) != len(all) {
			return 0, nil, fmt.Errorf("%s: %d conditions in one profile, %d in the other", functionName(f),
				len(all), len(conditions))
		}
		for i, c := range all {
			seen += c.Outcomes()
			where := fmt.Sprintf("%s %s:%d:%d", f.Table.Name, f.Table.File, c.Line, c.Col)
			if c.True > 0 && conditions[i].NeverTrue {
				never = append(never, Missed{where + " was true", c.True})
			}
			if c.False > 0 && conditions[i].NeverFalse {
				never = append(never, Missed{where + " was false", c.False})
			}
		}
	}
	slices.SortStableFunc(never, func(a, b Missed) int { return cmp.Compare(b.Times, a.Times) })
	return seen, never, nil
}

// functionName is unique in a profile, and the same in all profiles of a program. The plain name is not: several
// functions of a package can be called init or _.
func functionName(f *profile.Function) string {
	t := f.Table
	return fmt.Sprintf("%s %s %s:%d:%d", f.Package, t.Name, t.File, t.Body.Line, t.Body.Col)
}
