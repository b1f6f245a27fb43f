package export_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/goprofinstr/goprofinstr/export"
	"github.com/goprofinstr/goprofinstr/export/internal/profiletest"
	"github.com/goprofinstr/goprofinstr/export/internal/samples"
)

// A number has the names that integration/eval/estimates reads.
type number struct {
	Count, Estimate, Exact, Samples float64
	AtLeast                         float64 `json:"at_least"`
	Low, High                       *float64
	Edges                           []int
	Share                           *number
}

func (n *number) holds(truth float64) bool {
	return n != nil && n.Low != nil && *n.Low <= truth && truth <= *n.High
}

// TestJSONNumbers has what is known of the error of paths, calls, edges, shares and times in the JSON export.
func TestJSONNumbers(t *testing.T) {
	var all struct {
		Functions []struct {
			Calls        *number
			TimePerCall  *number `json:"time_per_call"`
			Paths, Edges []number
		}
	}
	if err := json.Unmarshal(samples.Write(t, export.WriteJSON, samples.Counted(t)), &all); err != nil {
		t.Fatal(err)
	}
	f := all.Functions[0]
	if f.Calls.Estimate != profiletest.NestedCalls || !f.Calls.holds(profiletest.NestedCalls) {
		t.Errorf("calls %+v", f.Calls)
	}
	if each := f.TimePerCall; each.Estimate != 18e9/profiletest.NestedCalls || each.Samples != 1800 || !each.holds(92e6) || each.holds(110e6) {
		t.Errorf("time %+v of a call", each)
	}
	rounds := float64(profiletest.NestedRounds + 1000)
	if e := f.Edges[3]; !e.holds(rounds) || *e.Low == *e.High || e.Share == nil || !e.Share.holds(rounds/(rounds+profiletest.NestedCalls*profiletest.NestedOuter)) {
		t.Errorf("edge %+v, share %+v", e, e.Share)
	}
	for _, p := range f.Paths {
		switch {
		case p.Low == nil && p.AtLeast > 0 && p.AtLeast < p.Count && p.Samples == 0: // one of two ways into a loop
		case p.Low == nil || !p.holds(p.Count):
			t.Errorf("path %v without an interval: %+v", p.Edges, p)
		case p.Samples == 0 && len(p.Edges) == 2 && (*p.Low != *p.High || p.Exact != p.Count):
			t.Errorf("path %v was counted: %+v", p.Edges, p)
		}
	}
}

// TestJSONSamples has the samples of each count of blocks, edges and paths whose interval is known, also where there are none.
func TestJSONSamples(t *testing.T) {
	var all struct{ Functions []map[string]json.RawMessage }
	if err := json.Unmarshal(samples.Write(t, export.WriteJSON, samples.Counted(t)), &all); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"blocks", "edges", "paths"} {
		var list []map[string]any
		if err := json.Unmarshal(all.Functions[0][kind], &list); err != nil {
			t.Fatal(err)
		}
		known := 0
		for _, of := range list {
			if of["low"] == nil {
				continue
			}
			if known++; of["samples"] == nil || of["high"] == nil || of["exact"] == nil {
				t.Errorf("%s: %v has an interval, and no samples", kind, of)
			}
		}
		if known < 2 {
			t.Errorf("%d %s have an interval", known, kind)
		}
	}
}

// TestJSONComplete has a function of which a site was sampled, where paths may be missing, and one whose sites were all counted.
func TestJSONComplete(t *testing.T) {
	p := samples.Counted(t)
	for _, want := range []bool{false, true} {
		if got := bytes.Contains(samples.Write(t, export.WriteJSON, p), []byte(`"complete":true`)); got != want {
			t.Errorf("complete: %v, want %v", got, want)
		}
		p.Functions()[0].Missed, p.Functions()[0].Unsettled = nil, ""
	}
}
