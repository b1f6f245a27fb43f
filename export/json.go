package export

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/goprofinstr/goprofinstr/export/internal/hot"
	"github.com/goprofinstr/goprofinstr/export/internal/stacks"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// JSONVersion is the version of the schema that the types below define. Adding
// a field keeps it; any other change raises it.
const JSONVersion = 1

// The fields of the JSON objects, from which docs/reference/json.md is made. Path
// numbers exceed what a JSON number safely holds (2⁵³), so they are strings.
type (
	jsonFunction struct {
		Name      string `json:"name"`
		Package   string `json:"package"`
		File      string `json:"file"`
		Line      int    `json:"line"`
		Status    string `json:"status"` // instrumented or declined
		Reason    string `json:"reason"`
		NumPaths  uint64 `json:"num_paths,string"`
		Abandoned int64  `json:"abandoned"`

		// Where paths are counted as long as they are rare, and sampled elsewhere:
		Calls       *jsonNumber `json:"calls,omitempty"`
		TimePerCall *jsonRatio  `json:"time_per_call,omitempty"` // CPU time with all that is called, ns

		Unknown   int64  `json:"unknown,omitempty"`   // with copies: how many paths ended besides that are not known
		Uncounted string `json:"uncounted,omitempty"` // with copies: why nothing counts it

		Blocks    []jsonBlock `json:"blocks"`
		Estimated bool        `json:"estimated,omitempty"` // from samples in strata: in modes in which others are counted
		Edges     []jsonEdge  `json:"edges"`
		Complete  bool        `json:"complete,omitempty"` // in sampled mode: all paths that were executed are listed
		Paths     []jsonPath  `json:"paths"`
	}
	jsonBlock struct {
		ID      int   `json:"id"`
		Line    int   `json:"line"`
		Col     int   `json:"col"`
		EndLine int   `json:"end_line"`
		EndCol  int   `json:"end_col"`
		Count   int64 `json:"count"`
		*jsonBounds
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
		*jsonBounds
		Share *jsonRatio `json:"share,omitempty"` // of the edges out of its block
	}
	jsonPath struct {
		ID      uint64 `json:"id,string"`
		Count   int64  `json:"count"`
		Samples *int64 `json:"samples,omitempty"` // in sampled mode
		*jsonBounds
		AtLeast  int64  `json:"at_least,omitempty"` // what was counted, if nothing tells how much more there is
		Branches int    `json:"branches"`
		Edges    []int  `json:"edges"`
		Start    string `json:"start"` // entry or loop
		End      string `json:"end"`   // return or loop

		// In sampled mode, as far as they are known:
		Time     int64         `json:"time_ns,omitempty"` // CPU time
		Contexts []jsonContext `json:"contexts,omitempty"`
	}
	// What is known of the error of a count: what was counted of it, and what the rest is estimated from. Low and High
	// are the numbers that it is between, 95 of 100 times.
	jsonBounds struct {
		Exact   int64 `json:"exact"`
		Samples int64 `json:"samples"`
		Low     int64 `json:"low"`
		High    int64 `json:"high"`
	}
	jsonNumber struct {
		Estimate int64 `json:"estimate"`
		*jsonBounds
	}
	// An estimate that is no count.
	jsonRatio struct {
		Estimate float64 `json:"estimate"`
		Samples  int64   `json:"samples,omitempty"` // ticks, of times
		Low      float64 `json:"low"`
		High     float64 `json:"high"`
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
// and edges are all listed, paths only if they were executed. In sampled mode there may be
// others that were, but in functions that are complete.
func WriteJSON(w io.Writer, p *profile.Profile) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, `{"version":%d,"mode":%q,"functions":[`, JSONVersion, p.Mode())
	// Encoding function by function bounds the memory it takes to that of one.
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false) // names hold & and <, and this is no web page
	known, times := stacks.New(p), hot.Instrumented(p)
	for i, f := range p.Functions() {
		line.Reset()
		j := newJSONFunction(f, known)
		if h := times[f]; h != nil {
			j.TimePerCall = newJSONRatio(h.PerCall(), h.Ticks)
		}
		if err := enc.Encode(j); err != nil {
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
	j.Unknown, j.Uncounted = f.Unknown, f.Uncounted
	blocks := f.BlockNumbers()
	for id, b := range t.Blocks {
		block := jsonBlock{ID: id, Line: b.Line, Col: b.Col, EndLine: b.EndLine, EndCol: b.EndCol, Count: f.Blocks[id]}
		if blocks != nil {
			block.jsonBounds = newJSONBounds(blocks[id])
		}
		j.Blocks = append(j.Blocks, block)
	}
	j.Edges, j.Complete = jsonEdges(f), f.Counted && f.KnowsAll()
	if n := f.CallsNumber(); n != nil {
		j.Calls = &jsonNumber{n.Estimate, newJSONBounds(n)}
	}
	number := f.PathNumbers()
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
			ID: p.ID, Count: p.Count, Branches: p.Branches, Edges: p.Edges, Start: start, End: end,
			Time: p.Time, Contexts: jsonContexts(f, p, known), jsonBounds: newJSONBounds(number(p)),
		}
		if p.Samples > 0 || path.jsonBounds != nil { // whose samples it hides
			path.Samples = &p.Samples
		}
		if f.Counted && path.jsonBounds == nil {
			path.AtLeast = p.Counted()
		}
		j.Paths = append(j.Paths, path)
	}
	return j
}

// jsonEdges returns the edges of f.
func jsonEdges(f *profile.Function) []jsonEdge {
	list := []jsonEdge{}
	numbers := f.EdgeNumbers()
	for id, e := range f.Table.Edges {
		j := jsonEdge{ID: id, From: e.From, To: e.To, Kind: string(e.Kind), Line: e.Line, Col: e.Col, Count: f.Edges[id], Back: e.Back}
		if numbers != nil {
			j.jsonBounds, j.Share = newJSONBounds(numbers[id].Number), newJSONRatio(numbers[id].Share, 0)
		}
		list = append(list, j)
	}
	return list
}

func newJSONBounds(n *profile.Number) *jsonBounds {
	if n == nil {
		return nil
	}
	return &jsonBounds{n.Exact, n.Samples, n.Low, n.High}
}

func newJSONRatio(r *profile.Ratio, samples int64) *jsonRatio {
	if r == nil {
		return nil
	}
	return &jsonRatio{r.Estimate, samples, r.Low, r.High}
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
