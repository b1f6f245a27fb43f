package compare

import (
	"io"
	"slices"
	"strconv"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

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

// WriteJSON writes a comparison as JSON.
func WriteJSON(w io.Writer, c *Comparison) error {
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
	return show.WriteJSON(w, d)
}

func matchingJSON(m *Matching) jsonMatching {
	j := jsonMatching{
		Changed: []string{}, Renamed: make(map[string]string),
		OnlyOld: namesOf(m.OnlyOld), OnlyNew: namesOf(m.OnlyNew),
	}
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

func differencesJSON(list []*Difference) []jsonDifference {
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
