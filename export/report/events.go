package report

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

// mostValues is how many values of a place a report shows.
const mostValues = 3

// writeEvents writes what was counted besides paths at the top places of each kind.
func writeEvents(w io.Writer, p *profile.Profile, top int) {
	byKind := make(map[string][]profile.FunctionEvents)
	declined := make(map[string]int)
	for _, e := range p.Events() {
		switch kind := e.Name(); {
		case e.Declined != "":
			declined[e.Declined]++
		case e.Count > 0:
			byKind[kind] = append(byKind[kind], e)
		}
	}
	for _, kind := range []string{"calls", "trips", "values"} {
		list := byKind[kind]
		if len(list) == 0 {
			continue
		}
		slices.SortStableFunc(list, func(a, b profile.FunctionEvents) int { return cmp.Compare(b.Count, a.Count) })
		fmt.Fprintf(w, "\n%s\n", eventTitles[kind])
		for _, e := range list[:min(len(list), max(top, 0))] {
			name := show.ShortenLeft(show.Printable(e.Function.Table.Name), 40)
			fmt.Fprintf(w, "  %s  %s:%d  %s\n", show.Grouped(e.Count), name, e.Line, show.Printable(e.Text))
			for _, v := range e.Values[:min(len(e.Values), mostValues)] {
				fmt.Fprintf(w, "    %6s  %s\n", show.Percent(v.Count, e.Count), show.ShortenLeft(e.Show(v), show.Width-12))
			}
			if more := len(e.Values) - mostValues; more > 0 {
				fmt.Fprintf(w, "            and %s\n", show.Plural(more, "other"))
			}
		}
	}
	if len(declined) > 0 {
		fmt.Fprintf(w, "\nnot counted\n")
		for _, reason := range slices.Sorted(maps.Keys(declined)) {
			fmt.Fprintf(w, "  %s: %s\n", show.Plural(declined[reason], "place"), reason)
		}
	}
}

var eventTitles = map[string]string{
	"calls":  "calls of interface methods and function values: executions, place, targets",
	"trips":  "how often loops went round: times left, place, rounds",
	"values": "values: assignments, place, most frequent ones",
}
