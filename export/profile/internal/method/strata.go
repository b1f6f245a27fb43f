package method

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/internal/show"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// strata have messages, of which package profile makes estimates and samples.
type strata struct{ estimated }

func init() { register(table.Strata, strata{}) }

func (strata) Says() Words {
	return Words{Mode: "stratified", Counts: "messages of strata", Title: "Estimates from samples"}
}

// Account returns "12,345 samples of 3,160,320 path ends by H[P256]2048".
func (strata) Account(a Account) string {
	var specs []string
	for _, s := range a.Streams {
		if !slices.Contains(specs, s.Spec) {
			specs = append(specs, s.Spec)
		}
	}
	text := fmt.Sprintf("%s of %s", show.Plural(int(a.Samples), "sample"), show.Plural(int(a.Ends), "path end"))
	if len(specs) > 0 {
		text += " by " + show.Printable(strings.Join(specs, ", "))
	}
	if !a.Rule {
		text += fmt.Sprintf(", of %s with too many paths to count", show.Plural(a.Functions, "function"))
	}
	return text
}
