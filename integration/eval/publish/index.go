package publish

import (
	"bytes"
	"fmt"
	"strings"
	"time"
)

// addIndex adds docs/results/README.md.
func (f *files) addIndex() {
	var b bytes.Buffer
	fmt.Fprint(&b, "# Results\n\nWhat was measured, one page for each experiment. `go run ./integration/eval pages` writes the pages "+
		"from the JSON beside them, and numbers that other documents quote.\n\n"+
		"    go run ./integration/eval all                  # everything anew\n"+
		"    go run ./integration/eval all -only time,pgo   # some of it\n"+
		"    go run ./integration/eval all -list            # what there is, and how long it took\n\n"+
		"| page | commit | date | load | took |\n|---|---|---|---|--:|\n")
	var missing []string
	for i := range Experiments {
		e := &Experiments[i]
		r := f.reports[e.Name]
		switch {
		case r == nil:
			missing = append(missing, fmt.Sprintf("- %s: `%s`", e.Title, e.Command()))
		case e.Args == nil:
			fmt.Fprintf(&b, "| [%s](%s.md) | | | | |\n", e.Title, e.Name)
		default:
			load, _, _ := strings.Cut(r.Machine.Load, " ")
			fmt.Fprintf(&b, "| [%s](%s.md) | %s | %s | %s | %s |\n", e.Title, e.Name, r.Machine.Commit,
				r.Machine.Date.Format(time.DateOnly), load, took(r))
		}
	}
	if len(missing) > 0 {
		fmt.Fprintf(&b, "\n## Not measured since results are kept here\n\n%s\n", strings.Join(missing, "\n"))
	}
	f.add(Folder+"README.md", b.Bytes())
}
