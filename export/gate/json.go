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
	LeftOut    int           `json:"left_out,omitempty"` // functions whose counts cannot be read
	Ignored    jsonIgnored   `json:"ignored"`
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
		Missing: []jsonMissing{}, More: []jsonMore{}, Unread: r.Unread, LeftOut: r.LeftOut,
		Ignored: jsonIgnored{r.Ignored.Functions, r.Ignored.Generated, r.Ignored.faults(), r.Ignored.Given},
	}
	for _, g := range r.Gates {
		var doubtful *big.Int
		if g.Coverage.Doubtful.Sign() > 0 {
			doubtful = g.Coverage.Doubtful
		}
		j.Gates = append(j.Gates, jsonGate{
			Measure: string(g.Measure), Changed: r.OnChanged && g.Baseline == nil, Named: r.Named && g.Baseline == nil, Baseline: g.Baseline != nil,
			Covered: g.Coverage.Covered, Possible: g.Coverage.Possible, Doubtful: doubtful, Ignored: g.Ignored,
			Percent: g.Coverage.Percent(), Want: g.Want, Passed: g.Passed,
		})
	}
	for _, m := range r.Missing {
		f := m.Function.Table
		what := m.What
		if m.Measure == MCDC {
			what += ": " + m.Detail
		}
		j.Missing = append(j.Missing, jsonMissing{
			string(m.Measure), f.Name, f.File, m.Line, m.Col, what, m.Conditions, m.Lost, m.New,
		})
	}
	for _, m := range Measures {
		if more := r.More[m]; more != nil && more.Sign() > 0 {
			j.More = append(j.More, jsonMore{string(m), more})
		}
	}
	return show.WriteJSON(w, j)
}
