package export

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/goprofinstr/goprofinstr/export/profile"
)

// WriteFolded writes p as folded stacks, a line for each executed path:
//
//	example.com/m.F;{path 3: 12→14→17} 120
//
// Frames are separated by semicolons, outermost first; the count of executions
// follows the last blank. Flame graph tools split at exactly these, so blanks
// in frames are harmless, and semicolons in names become commas. Paths of more than 12 lines are abbreviated.
func WriteFolded(w io.Writer, p *profile.Profile) error {
	out := bufio.NewWriter(w)
	for _, f := range p.Functions() {
		name := strings.ReplaceAll(printable(f.Table.Name), ";", ",")
		for i := range f.Paths {
			path := &f.Paths[i]
			fmt.Fprintf(out, "%s;%s %d\n", name, pathTitle(f, path), path.Count)
		}
	}
	return out.Flush()
}
