package publish

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goprofinstr/goprofinstr/integration/eval/result"
)

// addPage adds the page of an experiment and its pictures.
func (f *files) addPage(e *Experiment, r *result.Report) error {
	pictures := make(map[*result.Measure]string)
	for _, p := range r.Plots() {
		if e.Plots != nil && !slices.Contains(e.Plots, p.Name) || e.Args == nil {
			continue
		}
		var svg bytes.Buffer
		if err := p.Draw(&svg); err != nil {
			return fmt.Errorf("%s: %v", e.Name, err)
		}
		pictures[p.Measure] = p.File(e.Name + ".svg")
		f.add(Folder+pictures[p.Measure], svg.Bytes())
	}
	var page bytes.Buffer
	fmt.Fprintf(&page, "# %s\n\n%s\n\n%s\n", e.Title, e.About, madeOf(e.Name))
	if e.Args != nil {
		writeOrigin(&page, e, r)
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&page, "\n%s\n", n)
	}
	r.WriteMarkdown(&page, pictures)
	f.add(Folder+e.Name+".md", page.Bytes())
	return nil
}

// madeOf says which file a page is made of.
func madeOf(name string) string {
	return fmt.Sprintf("`go run ./integration/eval pages` writes this page from [%s.json](%[1]s.json).", name)
}

// writeOrigin writes what results depend on besides the benchmarks.
func writeOrigin(w io.Writer, e *Experiment, r *result.Report) {
	m := r.Machine
	fmt.Fprint(w, "\n| | |\n|---|---|\n")
	fmt.Fprintf(w, "| command | `go run ./integration/eval %s` |\n", strings.ReplaceAll(r.Options, "|", `\|`))
	fmt.Fprintf(w, "| commit, date | %s, %s |\n", m.Commit, m.Date.Format(time.DateOnly))
	fmt.Fprintf(w, "| machine | %s, %d cores; %s, Linux %s; %s |\n", m.CPU, m.Cores, m.OS, m.Kernel, m.Go)
	fmt.Fprintf(w, "| load | %s before", m.Load)
	if m.After != "" {
		fmt.Fprintf(w, ", %s after", m.After)
	}
	if m.Others != nil {
		fmt.Fprintf(w, "; others used %.2f processors meanwhile", *m.Others)
	}
	fmt.Fprintln(w, " |")
	if r.Took > 0 {
		fmt.Fprintf(w, "| took | %s |\n", took(r))
	}
	if e.Idle && busy(m) {
		fmt.Fprint(w, "\n**Others were at work on the machine.** Times and samples are rougher than on an idle one.\n")
	}
}

// took returns how long an experiment took; "" if it is not known.
func took(r *result.Report) string {
	if r.Took == 0 {
		return ""
	}
	return (time.Duration(r.Took) * time.Second).Round(time.Second).String()
}

// busy reports whether others wanted the machine. Old results tell that by what it did when the experiment began.
func busy(m result.Machine) bool {
	if m.Others != nil {
		const little = 0.1 // processors
		return *m.Others > little
	}
	last, _, _ := strings.Cut(m.Load, " ")
	load, err := strconv.ParseFloat(last, 64)
	return err != nil || load > float64(m.Cores)/2
}
