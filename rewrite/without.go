package rewrite

import (
	"fmt"
	"slices"
	"strings"
)

// Without are the names of optimisations that are left out, to measure what each brings.
type Without []string

// The optimisations of the code that is inserted.
const (
	Lines      = "lines"      // lines tell the positions of abandoned activations
	Entries    = "entries"    // entry counters in place of frames
	Counted    = "counted"    // counters of edges, or none, in place of frames
	Arrays     = "arrays"     // of more than 4096 counters, in place of hash tables
	Words      = "words"      // counters without bounds checks
	Weights    = "weights"    // estimates of which edges are hot
	Conditions = "conditions" // statements in place of conditions with code in them
	Rounds     = "rounds"     // counters with constant addresses for what most rounds of loops are
)

// Optimisations lists them all.
var Optimisations = []string{Lines, Entries, Counted, Arrays, Words, Weights, Conditions, Rounds}

func (w Without) has(name string) bool { return slices.Contains(w, name) }

// ParseWithout reads names separated by commas, of Optimisations and of others that the caller knows.
func ParseWithout(names string, others ...string) (Without, error) {
	known := slices.Concat(Optimisations, others)
	var w Without
	for name := range strings.FieldsFuncSeq(names, func(r rune) bool { return r == ',' }) {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("unknown optimisation %q; there are %s", name, strings.Join(known, ", "))
		}
		w = append(w, name)
	}
	return w, nil
}
