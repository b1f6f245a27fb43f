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

// writeUnknown writes what copies of machine code do not tell: paths that are not known, a line for each function, of the highest
// share of its paths, and how many functions are not counted.
func writeUnknown(w io.Writer, p *profile.Profile, top int) {
	var list []*profile.Function
	not := make(map[string]int)
	for _, f := range p.Functions() {
		if f.Unknown > 0 {
			list = append(list, f)
		}
		if f.Uncounted != "" {
			not[f.Uncounted]++
		}
	}
	slices.SortStableFunc(list, func(a, b *profile.Function) int { return cmp.Compare(b.Unknown, a.Unknown) })
	if len(list) > 0 {
		fmt.Fprintf(w, "\nPaths that are not known, of all paths of the function that ended\n\n")
	}
	for _, f := range list[:min(max(0, top), len(list))] {
		name := show.ShortenLeft(show.Printable(show.Short(f.Table.Name, f.Package)), show.Width-11)
		fmt.Fprintf(w, "%7s  %s\n", show.Percent(f.Unknown, f.Unknown+pathEnds(f)), name)
	}
	if more := len(list) - max(0, top); more > 0 {
		fmt.Fprintf(w, "and %s more\n", show.Grouped(int64(more)))
	}
	if len(not) > 0 {
		fmt.Fprintf(w, "\nFunctions that are not counted\n\n")
	}
	for _, why := range slices.SortedFunc(maps.Keys(not), func(a, b string) int {
		return cmp.Or(cmp.Compare(not[b], not[a]), cmp.Compare(a, b))
	}) {
		fmt.Fprintf(w, "%7s  %s\n", show.Grouped(int64(not[why])), why)
	}
}

// pathEnds returns how many paths of a function ended that are known.
func pathEnds(f *profile.Function) (n int64) {
	for i := range f.Paths {
		n += f.Paths[i].Count
	}
	return n
}
