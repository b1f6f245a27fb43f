package page

import (
	"fmt"
	"html/template"
	"io"

	"github.com/goprofinstr/goprofinstr/export/compare"
	"github.com/goprofinstr/goprofinstr/export/internal/code"
	"github.com/goprofinstr/goprofinstr/export/internal/holes"
	"github.com/goprofinstr/goprofinstr/export/internal/look"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

// diffView is the page of a comparison.
type diffView struct {
	single
	Old, New string // what the profiles are called
	Same     int    // functions with the same graph
	Groups   []compare.Group
	Total    compare.Overlap
	Packages []compare.Overlap // those with paths
	Outcomes []diffOutcomes
	Kinds    []diffKind
	Chance   int
	Sources  []string // which are not what ran
}

// diffKind is the differences of one kind.
type diffKind struct {
	ID, Title string
	Rows      []diffRow
	More      int // that are not listed
}

// diffRow is a path that is not executed as it was.
type diffRow struct {
	Name, Whole, Place string
	Number             uint64
	Old, New           string  // shares of the function's executions
	OldPart, NewPart   float64 // the same in percent
	Steps, Lines       []string
}

// diffOutcomes is what only one profile has seen of conditions.
type diffOutcomes struct {
	ID, Title string
	Rows      []diffOutcome
	More      int // that are not listed
}

// diffOutcome is one of these.
type diffOutcome struct {
	Name, Place string
	Operand     code.Operand
	Says        string
}

// WriteDiff writes a comparison as a page in one file, with at most top paths of each kind. The profiles are called as
// the caller says.
func WriteDiff(w io.Writer, c *compare.Comparison, before, after string, top int) error {
	v := &diffView{single: newSingle(false), Old: before, New: after, Total: c.Total, Chance: c.Chance, Sources: c.Sources(top)}
	v.Same, v.Groups = c.Groups()
	for _, o := range c.Packages {
		if o.Paths > 0 {
			v.Packages = append(v.Packages, o)
		}
	}
	for _, l := range c.OutcomeLists() {
		v.Outcomes = append(v.Outcomes, newDiffOutcomes(c, &l, top))
	}
	v.Kinds = []diffKind{
		newDiffKind(c, "appeared", "Paths that only the second profile has", c.Appeared, top),
		newDiffKind(c, "vanished", "Paths that only the first profile has", c.Vanished, top),
		newDiffKind(c, "changed", "Paths with another share of their function's executions", c.Changed, top),
	}
	return newTemplates(reportLinks(nil)).ExecuteTemplate(w, "diff.html", v)
}

func newDiffOutcomes(c *compare.Comparison, l *compare.List, top int) diffOutcomes {
	v := diffOutcomes{ID: l.ID, Title: l.Title, More: max(0, len(l.Outcomes)-top)}
	for _, o := range l.Outcomes[:min(len(l.Outcomes), top)] {
		at := c.Operand(&o)
		v.Rows = append(v.Rows, diffOutcome{show.Printable(o.Now.Table.Name), holes.Address(o.Now, &at), at, l.Says(&o)})
	}
	return v
}

func newDiffKind(c *compare.Comparison, id, title string, list []*compare.Difference, top int) diffKind {
	k := diffKind{ID: id, Title: title, More: max(0, len(list)-top)}
	for _, d := range list[:min(len(list), top)] {
		f, p := d.Function()
		row := diffRow{
			Name: show.Short(f.Table.Name, f.Package), Whole: show.Printable(f.Table.Name), Place: placeOf(f, p),
			Number: p.ID, OldPart: 100 * d.OldShare, NewPart: 100 * d.NewShare,
			Steps: c.Steps(d), Lines: f.Steps(p),
		}
		row.Old, row.New = d.Shares()
		k.Rows = append(k.Rows, row)
	}
	return k
}

// placeOf returns where a path begins.
func placeOf(f *profile.Function, p *profile.Path) string {
	return fmt.Sprintf("%s:%d", show.Printable(f.Table.File), f.Lines(p)[0])
}

// single is what pages have that are one file and need no other.
type single struct {
	Policy string
	Style  template.CSS
	Script template.JS
	Layout template.JS // of graphs, "" if there are none
}

// newSingle returns it for a page with graphs, or without.
func newSingle(graphs bool) single {
	s := single{Style: template.CSS(look.CSS), Script: template.JS(look.JS)}
	if graphs {
		s.Layout = template.JS(asset("dagre.min.js"))
	}
	s.Policy = fmt.Sprintf(reportPolicy, look.Hash(look.JS), look.Hash(string(s.Layout)), look.Hash(look.CSS))
	return s
}
