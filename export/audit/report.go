// Package audit shows what audits have found, as text, JSON, a web page and a plot.
package audit

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/goprofinstr/goprofinstr/export/verdict"
)

// JSONVersion is the version of the schema that Report defines: adding a field keeps it.
const JSONVersion = 1

// Report is what an audit has found. It is written as JSON.
type Report struct {
	Version    int        `json:"version"`
	Command    []string   `json:"command"`
	Go         string     `json:"go"`
	Confidence float64    `json:"confidence"`
	Functions  []Function `json:"functions"`

	Base *Base `json:"base,omitempty"` // that the second versions of functions are of

	FoundLater bool `json:"sources_found_later,omitempty"` // some sources are as they are now: see FindSources
}

// A Function is an audited function. Its first version is itself.
type Function struct {
	Name     string          `json:"name"`
	Outcome  verdict.Outcome `json:"outcome"`
	Best     int             `json:"best"` // version to use: 0 unless another is known to be faster
	Versions []Version       `json:"versions"`
	Pairs    []verdict.Pair  `json:"pairs,omitempty"`

	Decided time.Duration `json:"decided_ns,omitempty"` // after the first timing; 0 if it is not
	Nested  uint64        `json:"nested,omitempty"`     // calls inside of others, which are not timed
	Lost    uint64        `json:"lost,omitempty"`       // timings that were overwritten before they were read
	Clock   float64       `json:"clock_ns"`             // least time that the clock tells; it is part of all timings
	Tick    float64       `json:"tick_ns"`              // unit of the scores' timings

	// Of a timing point in a loop, whose timings are those of passes.
	Passes       uint64  `json:"passes,omitempty"`        // that a timing is of
	DesignEffect float64 `json:"design_effect,omitempty"` // how many times as uncertain calls make the means; 0 if not known

	Change *Change `json:"change,omitempty"` // since the base

	Untimed []string `json:"untimed_loops,omitempty"` // why loops of a function have no timing point
}

// A Version is a version of a function, with its timings in ns.
type Version struct {
	Name     string `json:"name"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Source   string `json:"source,omitempty"` // of the declaration, as it was audited
	Calls    uint64 `json:"calls"`            // that were picked at random
	Panicked uint64 `json:"panicked,omitempty"`
	Open     uint64 `json:"unfinished,omitempty"` // had not returned when the program ended

	verdict.Summary
	Kept []float64 `json:"kept,omitempty"` // some timings, each with the same probability, in order of their size
}

// Formats are the forms in which reports are written.
var Formats = map[string]func(r *Report, w io.Writer) error{
	"text":     (*Report).WriteText,
	"json":     (*Report).WriteJSON,
	"html":     (*Report).WriteHTML,
	"svg":      (*Report).WriteSVG,
	"markdown": (*Report).WriteMarkdown,
}

// Letter returns what a version is called: A is the original.
func Letter(version int) string { return string(rune('A' + version)) }

// Label returns a version's letter and name.
func (f *Function) Label(version int) string {
	return Letter(version) + " " + f.Versions[version].Name
}

// Scale turns a summary of ticks into one of ns.
func Scale(s verdict.Summary, tick float64) verdict.Summary {
	p := &s.Percentile
	for _, v := range []*float64{&s.Mean, &s.Deviation, &s.Capped, &s.Median, &p.P1, &p.P5, &p.P25, &p.P75, &p.P95, &p.P99} {
		*v *= tick
	}
	kept := make([]float64, len(s.Kept))
	for i, v := range s.Kept {
		kept[i] = v * tick
	}
	s.Kept = kept
	return s
}

// WriteJSON writes the report as JSON.
func (r *Report) WriteJSON(w io.Writer) error {
	r.Version = JSONVersion
	data, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	_, err = w.Write(append(data, '\n'))
	return err
}

// ReadJSON reads a report.
func ReadJSON(in io.Reader) (*Report, error) {
	r := new(Report)
	if err := json.NewDecoder(in).Decode(r); err != nil {
		return nil, err
	}
	if r.Version != JSONVersion {
		return nil, fmt.Errorf("audit of version %d: this program reads version %d", r.Version, JSONVersion)
	}
	if r.Base != nil {
		r.Judge(r.Base)
	}
	return r, nil
}
