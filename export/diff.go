package export

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/goprofinstr/goprofinstr/export/compare"
	"github.com/goprofinstr/goprofinstr/export/profile"
)

// WriteDiff writes a comparison as text of 80 columns, with at most top paths of each kind.
func WriteDiff(w io.Writer, c *compare.Comparison, top int) error {
	out := bufio.NewWriter(w)
	writeMatching(out, c.Matching)
	writeOverlaps(out, c)
	writeDifferences(out, "Paths that only the second profile has", c.Appeared, top)
	writeDifferences(out, "Paths that only the first profile has", c.Vanished, top)
	writeDifferences(out, "Paths with another share of their function's executions", c.Changed, top)
	if c.Chance > 0 {
		fmt.Fprintf(out, "\n%s between the samples may be chance\n", plural(c.Chance, "difference"))
	}
	return out.Flush()
}

func writeMatching(w io.Writer, m *compare.Matching) {
	same := 0
	var changed, renamed []string
	for _, p := range m.Pairs {
		switch {
		case p.Renamed:
			renamed = append(renamed, printable(p.Old.Table.Name)+" → "+printable(p.New.Table.Name))
		case p.Changed:
			changed = append(changed, printable(p.New.Table.Name))
		default:
			same++
		}
	}
	fmt.Fprintf(w, "%s with the same graph\n", plural(same, "function"))
	writeNames(w, "with another graph", changed)
	writeNames(w, "with another name", renamed)
	writeNames(w, "only in the first profile", namesOf(m.OnlyOld))
	writeNames(w, "only in the second profile", namesOf(m.OnlyNew))
}

func namesOf(functions []*profile.Function) []string {
	var names []string
	for _, f := range functions {
		names = append(names, printable(f.Table.Name))
	}
	return names
}

// maxNames is how many functions are named of each kind.
const maxNames = 10

func writeNames(w io.Writer, what string, names []string) {
	if len(names) == 0 {
		return
	}
	fmt.Fprintf(w, "%s %s:\n", plural(len(names), "function"), what)
	for _, name := range names[:min(len(names), maxNames)] {
		fmt.Fprintf(w, "  %s\n", shortenLeft(name, width-2))
	}
	if more := len(names) - maxNames; more > 0 {
		fmt.Fprintf(w, "  and %s more\n", grouped(int64(more)))
	}
}

func writeOverlaps(w io.Writer, c *compare.Comparison) {
	fmt.Fprintf(w, "\nPaths of the second profile that the first one had, and their flow\n\n")
	rows := [][]string{{"package", "paths", "had", "of paths", "of flow"}}
	row := func(name string, o compare.Overlap) {
		rows = append(rows, []string{name, grouped(int64(o.Paths)), grouped(int64(o.Had)), percent(int64(o.Had), int64(o.Paths)), percent(o.HadFlow, o.Flow)})
	}
	for _, o := range c.Packages {
		if o.Paths > 0 {
			row(printable(o.Package), o)
		}
	}
	row("total", c.Total)
	writeTable(w, rows)
}

func writeDifferences(w io.Writer, title string, list []*compare.Difference, top int) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s\n\n", title)
	fmt.Fprintf(w, "   old     new  function, path and its lines\n")
	const indent = 16
	for _, d := range list[:min(len(list), top)] {
		f, p := d.Function()
		fmt.Fprintf(w, "%s  %s  %s\n", padLeft(shareText(d.OldPath, d.OldShare), 6), padLeft(shareText(d.NewPath, d.NewShare), 6), shortenLeft(printable(f.Table.Name), width-indent))
		at := fmt.Sprintf(":%d  path %d: ", f.Lines(p)[0], p.ID)
		space := width - indent - len(at)
		file := shortenLeft(printable(f.Table.File), max(8, space-24))
		fmt.Fprintf(w, "%s%s%s%s\n", strings.Repeat(" ", indent), file, at, fitLines(f.Steps(p), space-len([]rune(file))))
	}
	if more := len(list) - top; more > 0 {
		fmt.Fprintf(w, "%sand %s more\n", strings.Repeat(" ", indent), grouped(int64(more)))
	}
}

// shareText returns a share, "-" of a path that was not executed.
func shareText(p *profile.Path, share float64) string {
	if p == nil {
		return "-"
	}
	return strconv.FormatFloat(100*share, 'f', 1, 64) + "%"
}

// jsonDiff is a comparison as JSON, version 1. Counts are integers, path ids decimal strings and shares fractions.
type jsonDiff struct {
	Version   int              `json:"version"`
	Functions jsonMatching     `json:"functions"`
	Overlap   []jsonOverlap    `json:"overlap"` // by package
	Total     jsonOverlap      `json:"total"`
	Appeared  []jsonDifference `json:"appeared"`
	Vanished  []jsonDifference `json:"vanished"`
	Changed   []jsonDifference `json:"changed"`
	Chance    int              `json:"chance"` // differences that may be chance, of samples
}

type jsonMatching struct {
	Same    int               `json:"same"`
	Changed []string          `json:"changed"`
	Renamed map[string]string `json:"renamed"` // from old to new names
	OnlyOld []string          `json:"only_old"`
	OnlyNew []string          `json:"only_new"`
}

type jsonOverlap struct {
	Package string `json:"package,omitempty"`
	Paths   int    `json:"paths"` // of the second profile
	Had     int    `json:"had"`   // of these, in the first one
	Flow    int64  `json:"flow"`
	HadFlow int64  `json:"had_flow"`
}

type jsonDifference struct {
	Function string        `json:"function"` // its name in the second profile, if it is there
	File     string        `json:"file"`
	Lines    []int         `json:"lines"`
	Old      *jsonExecuted `json:"old"`
	New      *jsonExecuted `json:"new"`
}

type jsonExecuted struct {
	ID    string  `json:"id"`
	Count int64   `json:"count"`
	Share float64 `json:"share"`
}

// WriteDiffJSON writes a comparison as JSON.
func WriteDiffJSON(w io.Writer, c *compare.Comparison) error {
	d := jsonDiff{
		Version:   1,
		Functions: matchingJSON(c.Matching),
		Total:     jsonOverlap(c.Total),
		Appeared:  differencesJSON(c.Appeared),
		Vanished:  differencesJSON(c.Vanished),
		Changed:   differencesJSON(c.Changed),
		Chance:    c.Chance,
	}
	for _, o := range c.Packages {
		d.Overlap = append(d.Overlap, jsonOverlap(o))
	}
	return writeIndented(w, d)
}

func writeIndented(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "\t")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

func matchingJSON(m *compare.Matching) jsonMatching {
	j := jsonMatching{Changed: []string{}, Renamed: make(map[string]string), OnlyOld: namesOf(m.OnlyOld), OnlyNew: namesOf(m.OnlyNew)}
	for _, p := range m.Pairs {
		switch {
		case p.Renamed:
			j.Renamed[p.Old.Table.Name] = p.New.Table.Name
		case p.Changed:
			j.Changed = append(j.Changed, p.New.Table.Name)
		default:
			j.Same++
		}
	}
	j.OnlyOld, j.OnlyNew = slices.Concat([]string{}, j.OnlyOld), slices.Concat([]string{}, j.OnlyNew) // [], not null
	return j
}

func differencesJSON(list []*compare.Difference) []jsonDifference {
	all := make([]jsonDifference, len(list))
	for i, d := range list {
		f, p := d.Function()
		all[i] = jsonDifference{
			Function: f.Table.Name, File: f.Table.File, Lines: f.Lines(p),
			Old: executedJSON(d.OldPath, d.OldShare), New: executedJSON(d.NewPath, d.NewShare),
		}
	}
	return all
}

func executedJSON(p *profile.Path, share float64) *jsonExecuted {
	if p == nil {
		return nil
	}
	return &jsonExecuted{strconv.FormatUint(p.ID, 10), p.Count, share}
}
