package report

import (
	"fmt"
	"io"

	"github.com/goprofinstr/goprofinstr/export/internal/about"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

// writeUnknown writes what copies of machine code do not tell: paths that are not known, a line for each function, of the highest
// share of its paths, and how many functions are not counted.
func writeUnknown(w io.Writer, p *profile.Profile, top int) {
	list, groups := about.UnknownPaths(p), about.UncountedByReason(p)
	if len(list) > 0 {
		fmt.Fprintf(w, "\nPaths that are not known, of all paths of the function that ended\n\n")
	}
	for _, f := range list[:min(max(0, top), len(list))] {
		name := show.ShortenLeft(show.Printable(show.Short(f.Table.Name, f.Package)), show.Width-11)
		fmt.Fprintf(w, "%7s  %s\n", about.UnknownShare(f), name)
	}
	if more := len(list) - max(0, top); more > 0 {
		fmt.Fprintf(w, "and %s more\n", show.Grouped(int64(more)))
	}
	if len(groups) > 0 {
		fmt.Fprintf(w, "\nFunctions that are not counted\n\n")
	}
	for _, g := range groups {
		fmt.Fprintf(w, "%7s  %s\n", show.Grouped(int64(len(g.Functions))), g.Reason)
	}
}
