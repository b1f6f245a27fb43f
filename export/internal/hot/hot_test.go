package hot_test

import (
	"testing"

	"github.com/goprofinstr/goprofinstr/export/internal/hot"
	"github.com/goprofinstr/goprofinstr/export/internal/samples"
	"github.com/goprofinstr/goprofinstr/export/profile"
)

func TestFlow(t *testing.T) {
	p := samples.Sample(t)
	all := hot.Paths(p, 1000)
	for i, h := range all[1:] {
		if before := all[i]; h.Path.Flow() > before.Path.Flow() {
			t.Errorf("path %d of %s is behind one of less flow", h.Path.ID, h.Function.Table.Name)
		}
	}
	if got := hot.Paths(p, 3); len(got) != 3 || got[0].Path != all[0].Path {
		t.Errorf("the first three are %v", got)
	}
	functions := hot.ByFlow(p)
	if len(functions) == 0 || functions[0] != all[0].Function {
		t.Errorf("the function of the hottest path is not the first")
	}
	for _, f := range functions {
		if f.Declined() {
			t.Errorf("%s is declined", f.Table.Name)
		}
	}
}

// TestTime has each function's time once, although it may be on a stack twice.
func TestTime(t *testing.T) {
	p := samples.Sampled(t)
	var want, self int64
	for _, c := range p.Contexts {
		want += c.Time
	}
	list := hot.ByTime(p)
	for i, h := range list {
		self += h.Self
		if h.Cum < h.Self || h.Cum > want || i > 0 && h.Self > list[i-1].Self {
			t.Errorf("%s: %d itself, %d in all of %d", h.Name, h.Self, h.Cum, want)
		}
	}
	if self != want || list[0].Name != "example.com/m/lex.Words" || list[0].Function == nil {
		t.Errorf("%d ns of %d, most of it in %s", self, want, list[0].Name)
	}
	if none := hot.ByTime(&profile.Profile{}); none != nil {
		t.Errorf("%v of no contexts", none)
	}
}

// TestAll has a function all of whose time is in what it calls.
func TestAll(t *testing.T) {
	p := samples.Sampled(t)
	const words = "example.com/m/lex.Words"
	for _, c := range p.Contexts {
		if len(c.Frames) > 0 && c.Frames[0].Name == words {
			c.Time = 0
		}
	}
	names := make(map[string]int)
	for _, h := range hot.All(p) {
		names[h.Name]++
		if h.Name == words && (h.Self != 0 || h.Cum == 0) {
			t.Errorf("%s: %d itself, %d in all", words, h.Self, h.Cum)
		}
	}
	for _, h := range append(hot.ByTime(p), hot.ByCum(p)...) {
		if names[h.Name] != 1 {
			t.Errorf("%s is listed %d times", h.Name, names[h.Name])
		}
	}
	if names[words] != 1 {
		t.Errorf("%s is listed %d times", words, names[words])
	}
}
