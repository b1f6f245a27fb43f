package export

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/export/internal/stacks"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/show"
	"github.com/goprofinstr/goprofinstr/sampler/pcct"
)

// WriteFolded writes p as folded stacks, a line for each executed path:
//
//	example.com/m.F;{path 3: 12→14→17} 120
//
// Frames are separated by semicolons, outermost first; the count of executions
// follows the last blank. Flame graph tools split at exactly these, so blanks
// in frames are harmless, and semicolons in names become commas. Paths of more than 12 lines are abbreviated.
// Where calling contexts are known there is a line for each that a path was seen in, which begins with the callers.
func WriteFolded(w io.Writer, p *profile.Profile) error {
	out := bufio.NewWriter(w)
	known := stacks.New(p)
	for _, f := range p.Functions() {
		name := strings.ReplaceAll(show.Printable(f.Table.Name), ";", ",")
		for i := range f.Paths {
			path := &f.Paths[i]
			for _, c := range byCallers(known, f, path) {
				fmt.Fprintf(out, "%s%s;%s %d\n", c.callers, name, f.Title(path), c.count)
			}
		}
	}
	return out.Flush()
}

// callersCount is how often a path was executed for some callers, which are text that is put before the function's
// name.
type callersCount struct {
	callers string
	count   int64
}

// byCallers divides the count of a path by callers, which are empty as far as they are not known.
func byCallers(known *stacks.Stacks, f *profile.Function, path *profile.Path) []callersCount {
	var list []callersCount
	add := func(callers string, count int64) {
		for i := range list {
			if list[i].callers == callers {
				list[i].count += count
				return
			}
		}
		if count > 0 {
			list = append(list, callersCount{callers, count})
		}
	}
	rest := path.Count
	for _, c := range path.Contexts {
		add(stackText(known, known.CallerFrames(f, c.Context)), c.Count)
		rest -= c.Count
	}
	add("", rest)
	return list
}

// stackText returns frames as folded stacks have them, outermost first, each followed by a semicolon.
func stackText(known *stacks.Stacks, frames []pcct.Frame) string {
	var b strings.Builder
	for _, f := range slices.Backward(frames) {
		b.WriteString(strings.ReplaceAll(show.Printable(known.Name(f)), ";", ",") + ";")
	}
	return b.String()
}
