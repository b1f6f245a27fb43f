package gate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/export/profile"
)

// notInName is what says that a function is generic.
const notInName = "[...]"

// isNamed reports whether a function, or one that it is a literal in, has one of some names. Of a name the end is
// enough: "Parse", "json.Parse", "(*T).Parse".
func isNamed(f *profile.Function, names []string) bool {
	whole := strings.ReplaceAll(f.Table.Name, notInName, "")
	outer := strings.ReplaceAll(f.Package+"."+f.Declaration(), notInName, "")
	return slices.ContainsFunc(names, func(name string) bool { return endsIn(whole, name) || endsIn(outer, name) })
}

func endsIn(whole, name string) bool {
	before, ok := strings.CutSuffix(whole, name)
	return ok && (before == "" || strings.HasSuffix(before, "/") || strings.HasSuffix(before, "."))
}

// CheckNames returns an error if a name is that of no function that can be measured.
func CheckNames(p *profile.Profile, names []string) error {
	for _, name := range names {
		declined := ""
		measured := slices.ContainsFunc(p.Functions(), func(f *profile.Function) bool {
			if !isNamed(f, []string{name}) {
				return false
			}
			if f.LeftOut == nil && f.Declined() {
				declined = f.Table.Declined
				return false
			}
			return true
		})
		switch {
		case measured:
		case declined != "":
			return fmt.Errorf("function %s is declined: %s", name, declined)
		default:
			return fmt.Errorf("no instrumented function is called %s; want names like Parse, json.Parse or (*Decoder).Decode", name)
		}
	}
	return nil
}
