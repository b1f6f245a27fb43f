package compare

import (
	"io"
	"slices"
	"strconv"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

// JSONVersion is the version of the schema that the types below define: adding a field keeps it.
const JSONVersion = 1

// jsonDiff is a comparison as JSON. Counts are integers, path ids decimal strings and shares fractions.
type jsonDiff struct {
	Version   int              `json:"version"`
	Functions jsonMatching     `json:"functions"`
	Overlap   []jsonOverlap    `json:"overlap"` // by package
	Total     jsonOverlap      `json:"total"`
	Outcomes  jsonOutcomes     `json:"outcomes"` // of conditions
	Sources   jsonSources      `json:"sources"`
	Appeared  []jsonDifference `json:"appeared"`
	Vanished  []jsonDifference `json:"vanished"`
	Changed   []jsonDifference `json:"changed"`
	Chance    int              `json:"chance"` // differences that may be chance, of samples
}

// jsonOutcomes has what only one profile has seen of conditions.
type jsonOutcomes struct {
	Found []jsonOutcome `json:"found"` // only the second profile has
	Lost  []jsonOutcome `json:"lost"`  // only the first one has
	New   []jsonOutcome `json:"new"`   // never seen, of conditions that only the second profile has
}

type jsonOutcome struct {
	Function string `json:"function"`
	File     string `json:"file"`
	Line     int    `json:"line"`
	Col      int    `json:"col,omitempty"`
	Text     string `json:"text,omitempty"` // "" without source
	Never    string `json:"never"`          // "true", "false" or "evaluated", by one of the profiles
	Other    int64  `json:"other"`          // how often it was the other, there
}

// jsonSources has the functions whose sources here are not those of the run: their paths and conditions are told by lines
// where these have changed.
type jsonSources struct {
	Old []string `json:"old"` // of the first profile
	New []string `json:"new"` // of the second one
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
		Version:   JSONVersion,
		Functions: matchingJSON(c.Matching),
		Total:     jsonOverlap(c.Total),
		Outcomes:  c.outcomesJSON(),
		Sources:   c.sourcesJSON(),
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

func (c *Comparison) outcomesJSON() (j jsonOutcomes) {
	list := func(outcomes []Outcome) []jsonOutcome {
		all := make([]jsonOutcome, len(outcomes))
		for i, o := range outcomes {
			at := c.Operand(&o)
			all[i] = jsonOutcome{o.Now.Table.Name, o.Now.Table.File, at.Line, at.Col, at.Text, o.Never, o.Other}
		}
		return all
	}
	return jsonOutcomes{list(c.Outcomes.Found), list(c.Outcomes.Lost), list(c.Outcomes.New)}
}

func (c *Comparison) sourcesJSON() jsonSources {
	j := jsonSources{Old: []string{}, New: []string{}}
	for _, p := range c.all() {
		if p.Old != nil && c.old.Other(p.Old) {
			j.Old = append(j.Old, p.Old.Table.Name)
		}
		if p.New != nil && c.new.Other(p.New) {
			j.New = append(j.New, p.New.Table.Name)
		}
	}
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
