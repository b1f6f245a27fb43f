package export

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/goprofinstr/goprofinstr/export/internal/stacks"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// jsonVersion is the version of the schema that the types below define. Adding
// a field keeps it; any other change raises it.
const jsonVersion = 1

// The fields of the JSON objects, in the order of DESIGN.md section 2. Path
// numbers exceed what a JSON number safely holds (2⁵³), so they are strings.
type (
	jsonFunction struct {
		Name      string      `json:"name"`
		Package   string      `json:"package"`
		File      string      `json:"file"`
		Line      int         `json:"line"`
		Status    string      `json:"status"` // instrumented or declined
		Reason    string      `json:"reason"`
		NumPaths  uint64      `json:"num_paths,string"`
		Abandoned int64       `json:"abandoned"`
		Blocks    []jsonBlock `json:"blocks"`
		Estimated bool        `json:"estimated,omitempty"` // from samples in strata: in modes in which others are counted
		Edges     []jsonEdge  `json:"edges"`
		Paths     []jsonPath  `json:"paths"`
	}
	jsonBlock struct {
		ID      int   `json:"id"`
		Line    int   `json:"line"`
		Col     int   `json:"col"`
		EndLine int   `json:"end_line"`
		EndCol  int   `json:"end_col"`
		Count   int64 `json:"count"`
	}
	jsonEdge struct {
		ID    int    `json:"id"`
		From  int    `json:"from"`
		To    int    `json:"to"`
		Kind  string `json:"kind"`
		Line  int    `json:"line"`
		Col   int    `json:"col"`
		Count int64  `json:"count"`
		Back  bool   `json:"back"`
	}
	jsonPath struct {
		ID      uint64 `json:"id,string"`
		Count   int64  `json:"count"`
		Samples int64  `json:"samples,omitempty"` // in sampled mode
		// Of an estimate: what was counted of it, and between which numbers it is, 95 of 100 times, as far as that is known.
		Exact    int64  `json:"exact,omitempty"`
		Low      int64  `json:"low,omitempty"`
		High     int64  `json:"high,omitempty"`
		Branches int    `json:"branches"`
		Edges    []int  `json:"edges"`
		Start    string `json:"start"` // entry or loop
		End      string `json:"end"`   // return or loop

		// In sampled mode, as far as they are known:
		Time     int64         `json:"time_ns,omitempty"` // CPU time
		Contexts []jsonContext `json:"contexts,omitempty"`
	}
	// What was seen of a path for some callers.
	jsonContext struct {
		Callers []string `json:"callers"` // innermost first, "example.com/m.F:12"
		Count   int64    `json:"count"`   // share of the path's count
		Samples int64    `json:"samples"`
		Time    int64    `json:"time_ns"`
	}
)

// WriteJSON writes p as JSON of schema version 1, one function a line. Blocks
// and edges are all listed, paths only if they were executed.
func WriteJSON(w io.Writer, p *profile.Profile) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, `{"version":%d,"mode":%q,"functions":[`, jsonVersion, p.Mode())
	// Encoding function by function bounds the memory it takes to that of one.
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false) // names hold & and <, and this is no web page
	known := stacks.New(p)
	for i, f := range p.Functions() {
		line.Reset()
		if err := enc.Encode(newJSONFunction(f, known)); err != nil {
			return err
		}
		sep := ",\n"
		if i == 0 {
			sep = "\n"
		}
		out.WriteString(sep)
		out.Write(bytes.TrimSuffix(line.Bytes(), []byte("\n")))
	}
	if err := writeJSONEvents(out, p); err != nil {
		return err
	}
	if err := writeJSONDamage(out, p); err != nil {
		return err
	}
	out.WriteString("\n]}\n")
	return out.Flush()
}

// writeJSONDamage writes the member "damaged", if there is any.
func writeJSONDamage(w io.Writer, p *profile.Profile) error {
	for i, d := range p.Damaged {
		line, err := json.Marshal(d)
		if err != nil {
			return err
		}
		sep := ",\n"
		if i == 0 {
			sep = "\n],\"damaged\":[\n"
		}
		fmt.Fprintf(w, "%s%s", sep, line)
	}
	return nil
}

func newJSONFunction(f *profile.Function, known *stacks.Stacks) jsonFunction {
	t := f.Table
	j := jsonFunction{
		Name: t.Name, Package: f.Package, File: t.File, Line: t.Line,
		Status: "instrumented",
		// Empty lists, not null, also for declined functions.
		Blocks: []jsonBlock{}, Edges: []jsonEdge{}, Paths: []jsonPath{},
	}
	if f.Declined() {
		j.Status, j.Reason = "declined", t.Declined
		return j
	}
	j.NumPaths, j.Abandoned, j.Estimated = t.Values.NumPaths, f.Abandoned, t.Counts != table.Exact
	for id, b := range t.Blocks {
		j.Blocks = append(j.Blocks, jsonBlock{id, b.Line, b.Col, b.EndLine, b.EndCol, f.Blocks[id]})
	}
	for id, e := range t.Edges {
		j.Edges = append(j.Edges, jsonEdge{id, e.From, e.To, string(e.Kind), e.Line, e.Col, f.Edges[id], e.Back})
	}
	for i := range f.Paths {
		p := &f.Paths[i]
		start, end := "entry", "return"
		if p.Loop {
			start = "loop"
		}
		if f.EndsInLoop(p) {
			end = "loop"
		}
		path := jsonPath{
			ID: p.ID, Count: p.Count, Samples: p.Samples, Exact: p.Exact, Branches: p.Branches, Edges: p.Edges, Start: start, End: end,
			Time: p.Time, Contexts: jsonContexts(f, p, known),
		}
		if p.Selections != nil {
			path.Low, path.High = p.Interval()
		}
		j.Paths = append(j.Paths, path)
	}
	return j
}

func jsonContexts(f *profile.Function, p *profile.Path, known *stacks.Stacks) []jsonContext {
	var list []jsonContext
	for _, c := range p.Contexts {
		callers := []string{}
		for _, caller := range known.Callers(f, c.Context) {
			callers = append(callers, fmt.Sprintf("%s:%d", caller.Name, caller.Line))
		}
		list = append(list, jsonContext{callers, c.Count, c.Samples, c.Time})
	}
	return list
}
