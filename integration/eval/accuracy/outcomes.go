package accuracy

import (
	"fmt"

	"github.com/goprofinstr/goprofinstr/export/profile"
)

// Outcomes says what an estimate has not seen of the conditions of the actual profile: how many outcomes, true or
// false, were seen in that one at all, and which of these have the count 0 in the estimate, so that a report calls
// them "never". Conditions are joined by function and order.
//
// It is an error if the profiles are of different programs.
func Outcomes(actual, estimate *profile.Profile) (seen int, never []string, err error) {
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
			if c.True > 0 && conditions[i].True == 0 {
				never = append(never, fmt.Sprintf("%s was true, %d times", where, c.True))
			}
			if c.False > 0 && conditions[i].False == 0 {
				never = append(never, fmt.Sprintf("%s was false, %d times", where, c.False))
			}
		}
	}
	return seen, never, nil
}

// functionName is unique in a profile, and the same in all profiles of a program: several functions of a package can
// be called init or _.
func functionName(f *profile.Function) string {
	t := f.Table
	return fmt.Sprintf("%s %s %s:%d:%d", f.Package, t.Name, t.File, t.Body.Line, t.Body.Col)
}
