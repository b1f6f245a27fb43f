package gate

import (
	"io"
	"math/big"

	"github.com/goprofinstr/goprofinstr/internal/show"
)

// JSONVersion is the version of the schema that the types below define: adding a field keeps it.
const JSONVersion = 2

// jsonCheck is the result of a check as JSON. Numbers of paths may have more than 64 bits.
type jsonCheck struct {
	Version    int           `json:"version"`
	Passed     bool          `json:"passed"`
	Gates      []jsonGate    `json:"gates"`
	Infeasible *big.Int      `json:"infeasible"` // paths that are not demanded
	Declined   int           `json:"declined"`
	Missing    []jsonMissing `json:"missing"`
	More       []jsonMore    `json:"more"`               // that are not in missing
	Unread     []string      `json:"unread,omitempty"`   // what cannot be read, so that the check has failed
	NotRun     []string      `json:"not_run,omitempty"`  // other packages whose tests did not run, and so cover nothing
	LeftOut    int           `json:"left_out,omitempty"` // functions whose counts cannot be read
	Ignored    jsonIgnored   `json:"ignored"`
	Change     *jsonChange   `json:"change,omitempty"` // what a change does, with a base
}

// jsonChange is the coverage of a change.
type jsonChange struct {
	Revision string         `json:"revision"` // the base is the merge base with it
	Commit   string         `json:"commit"`   // the base
	Measures []jsonCompared `json:"measures"`
	Files    []jsonFile     `json:"files"`
	Missing  []jsonMissing  `json:"missing"` // of changed lines
	Lost     []jsonMissing  `json:"lost"`    // outcomes of conditions that the base has
}

type jsonCompared struct {
	Measure string       `json:"measure"`
	Base    jsonCoverage `json:"base"`
	Now     jsonCoverage `json:"now"`
	Changed jsonCoverage `json:"changed"` // of changed lines
}

type jsonFile struct {
	File     string         `json:"file"`
	Measures []jsonMeasured `json:"measures"` // of changed lines
}

type jsonMeasured struct {
	Measure string `json:"measure"`
	jsonCoverage
}

type jsonCoverage struct {
	Covered  int64    `json:"covered"`
	Possible *big.Int `json:"possible"`
	Percent  float64  `json:"percent"`
}

// jsonIgnored is what is not demanded because of the sources; how much that is of each measure the gates say.
type jsonIgnored struct {
	Functions  int      `json:"functions"` // in which something is marked with //goprofinstr:ignore
	Generated  int      `json:"generated"` // functions in generated files
	NotIgnored []string `json:"not_ignored,omitempty"`
	Given      int      `json:"covered_in_baseline,omitempty"` // branches that the baseline covers, and this run does not
}

type jsonGate struct {
	Measure  string   `json:"measure"`
	Changed  bool     `json:"changed"` // on changed lines only
	Named    bool     `json:"named"`   // of functions that were named only
	Baseline bool     `json:"baseline"`
	Covered  int64    `json:"covered"`
	Possible *big.Int `json:"possible"`
	Doubtful *big.Int `json:"doubtful,omitempty"` // not seen, and may have been executed, since paths were sampled
	Ignored  *big.Int `json:"ignored"`            // not in possible, by //goprofinstr:ignore
	Percent  float64  `json:"percent"`
	Want     float64  `json:"want"`
	Passed   bool     `json:"passed"`
}

type jsonMissing struct {
	Measure    string   `json:"measure"`
	Function   string   `json:"function"`
	File       string   `json:"file"`
	Line       int      `json:"line"`
	Col        int      `json:"col,omitempty"`
	What       string   `json:"what"`
	Conditions []string `json:"conditions"`
	Lost       bool     `json:"lost"` // the baseline had it
	New        bool     `json:"new"`  // it is code that the baseline did not have
}

type jsonMore struct {
	Measure string   `json:"measure"`
	Count   *big.Int `json:"count"`
}

// WriteJSON writes the result of a check as JSON.
func WriteJSON(w io.Writer, r *Result) error {
	j := jsonCheck{
		Version: JSONVersion, Passed: r.Passed(), Infeasible: r.Infeasible, Declined: r.Declined,
		Gates: []jsonGate{}, More: []jsonMore{}, Unread: r.Unread, NotRun: r.NotRun, LeftOut: r.LeftOut,
		Ignored: jsonIgnored{r.Ignored.Functions, r.Ignored.Generated, r.Ignored.faults(), r.Ignored.Given},
	}
	for _, g := range r.Gates {
		var doubtful *big.Int
		if g.Coverage.Doubtful.Sign() > 0 {
			doubtful = g.Coverage.Doubtful
		}
		j.Gates = append(j.Gates, jsonGate{
			Measure: string(g.Measure), Changed: r.OnChanged && g.Baseline == nil, Named: r.Named && g.Baseline == nil,
			Baseline: g.Baseline != nil,
			Covered:  g.Coverage.Covered, Possible: g.Coverage.Possible, Doubtful: doubtful, Ignored: g.Ignored,
			Percent: g.Coverage.Percent(), Want: g.Want, Passed: g.Passed,
		})
	}
	j.Missing = newJSONMissing(r.Missing)
	j.Change = newJSONChange(r.Change)
	for _, m := range Measures {
		if more := r.More[m]; more != nil && more.Sign() > 0 {
			j.More = append(j.More, jsonMore{string(m), more})
		}
	}
	return show.WriteJSON(w, j)
}

func newJSONMissing(missing []*Missing) []jsonMissing {
	list := []jsonMissing{} // not null
	for _, m := range missing {
		f := m.Function.Table
		what := m.What
		if m.Measure == MCDC {
			what += ": " + m.Detail
		}
		list = append(list, jsonMissing{string(m.Measure), f.Name, f.File, m.Line, m.Col, what, m.Conditions, m.Lost, m.New})
	}
	return list
}

func newJSONChange(c *Change) *jsonChange {
	if c == nil {
		return nil
	}
	j := &jsonChange{
		Revision: c.Revision, Commit: c.Commit, Files: []jsonFile{},
		Missing: newJSONMissing(c.Missing), Lost: newJSONMissing(c.Lost),
	}
	for _, m := range c.Measures {
		before, now, changed := newJSONCoverage(&m.Before), newJSONCoverage(&m.Now), newJSONCoverage(&m.Changed)
		j.Measures = append(j.Measures, jsonCompared{string(m.Measure), before, now, changed})
	}
	for _, f := range c.Files {
		file := jsonFile{File: f.Name}
		for _, m := range compared {
			file.Measures = append(file.Measures, jsonMeasured{string(m), newJSONCoverage(f.Coverage[m])})
		}
		j.Files = append(j.Files, file)
	}
	return j
}

func newJSONCoverage(c *Coverage) jsonCoverage {
	return jsonCoverage{c.Covered, c.Possible, c.Percent()}
}
