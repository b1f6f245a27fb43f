package flags

import (
	"fmt"
	"strings"
)

// Markdown returns the flags as a table in Markdown, "" if there are none.
func (t Table) Markdown() string {
	if len(t.Flags) == 0 {
		return ""
	}
	limited := false
	for _, f := range t.Flags {
		limited = limited || f.uses("`") != ""
	}
	var b strings.Builder
	if limited {
		b.WriteString("| flag | for | |\n|---|---|---|\n")
	} else {
		b.WriteString("| flag | |\n|---|---|\n")
	}
	for _, f := range t.Flags {
		for _, text := range f.texts() {
			fmt.Fprintf(&b, "| `%s` |", text.label)
			if limited {
				fmt.Fprintf(&b, " %s |", f.uses("`"))
			}
			fmt.Fprintf(&b, " %s |\n", cell.Replace(strings.Join(text.lines, " ")))
		}
	}
	return b.String()
}

// cell escapes what means something in a cell of a table.
var cell = strings.NewReplacer("|", `\|`, "<", `\<`, "*", `\*`, "_", `\_`, "[", `\[`)

// uses says with what a flag can be given, "" for everything. What is typed stands between quotes.
func (f *Flag) uses(quote string) string {
	var parts []string
	for _, v := range f.Verbs {
		parts = append(parts, quote+"go "+v+quote)
	}
	if f.Only != nil {
		parts = append(parts, quote+"-"+f.Only.Flag+" "+strings.Join(f.Only.Values, quote+", "+quote)+quote)
	}
	return strings.Join(parts, ", ")
}
