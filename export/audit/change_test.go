package audit

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/goprofinstr/goprofinstr/export/verdict"
)

// pair returns a pair of a head A and a base B, which takes as many times as long.
func pair(least, ratio, most float64, faster int) verdict.Pair {
	p := verdict.Pair{A: 0, B: 1, Known: true, Effect: ratio - 1, Low: least - 1, High: most - 1, Outcome: verdict.Faster, Faster: faster}
	if faster < 0 {
		p.Outcome = verdict.Undecided
	}
	return p
}

// changed is a report with functions of all outcomes. The time of Slow is 1.25 times that of the base, from 1.2 to 1.3.
func changed() *Report {
	function := func(name string, pairs ...verdict.Pair) Function {
		f := Function{Name: name, Outcome: verdict.Undecided, Pairs: pairs}
		for _, v := range []string{name, name + " at 0123456789ab"} {
			f.Versions = append(f.Versions, Version{Name: v, Calls: 10, Summary: verdict.Summary{Timings: 10}})
		}
		return f
	}
	never := function("p.Never")
	never.Versions[0].Calls, never.Versions[1].Calls = 0, 0
	short := function("p.Short", pair(0.5, 0.6, 0.7, 1))
	short.Outcome = verdict.TooShort
	same := pair(0.998, 1, 1.002, -1)
	same.Outcome = verdict.Same
	placed := pair(0.93, 0.97, 1.02, -1) // 3% slower, in ten timings of which each copy has some
	placed.Outcome, placed.Placement, placed.Noise = verdict.Placed, 0.045, 0.001
	place := function("p.Place", placed)
	place.Outcome = verdict.Placed
	r := &Report{Confidence: 0.99, Functions: []Function{
		function("p.Slow", pair(1/1.3, 1/1.25, 1/1.2, 1)),
		function("p.LittleSlow", pair(1/1.015, 1/1.01, 1/1.005, 1)),
		function("p.MaybeSlow", pair(1/1.04, 1/1.03, 1/1.01, 1)),
		function("p.Fast", pair(1.1, 1.2, 1.3, 0)),
		function("p.Same", same),
		function("p.Open", pair(0.9, 1, 1.1, -1)),
		function("p.Loops"),
		function("p.Loops (loop at line 3)", pair(1/1.3, 1/1.25, 1/1.2, 1)),
		place, short, never,
	}}
	r.Judge(&Base{Revision: "main", Commit: "0123456789abcdef", Limit: 0.02, Unchanged: []string{"p.Comment"}, NotCompared: []NotCompared{
		{Name: "p.(*T[K]).New", File: "a_b.go", Line: 3, Reason: "it is <new> | *"}, {Name: "p/q", Reason: "the package is new"}}})
	return r
}

// TestJudge: what the base takes against the head becomes what the head takes against the base, and only what is certainly
// beyond the limit fails.
func TestJudge(t *testing.T) {
	r := changed()
	slow := r.Functions[0].Change
	for _, v := range [][2]float64{{slow.Effect, 0.25}, {slow.Low, 0.2}, {slow.High, 0.3}} {
		if math.Abs(v[0]-v[1]) > 1e-12 {
			t.Errorf("%v, want %v", v[0], v[1])
		}
	}
	want := map[string]string{"p.Slow": "slower fails", "p.LittleSlow": "slower", "p.MaybeSlow": "slower", "p.Fast": "faster", "p.Same": "no difference",
		"p.Open": "open", "p.Place": "no difference beyond placement", "p.Loops": "open fails", "p.Loops (loop at line 3)": "slower fails", "p.Short": "too short", "p.Never": "not called"}
	for _, f := range r.Functions {
		got := f.Change.Outcome
		if f.Change.Fails {
			got += " fails"
		}
		if got != want[f.Name] {
			t.Errorf("%s: %s, want %s", f.Name, got, want[f.Name])
		}
	}
	if r.Base.Failed != 2 {
		t.Errorf("%d fail", r.Base.Failed)
	}
	const summary = "FAIL: 10 functions against main (0123456789ab): 2 are slower by more than 2%; 2 open, for more time or other benchmarks to tell; " +
		"1 not told from what placement makes; 2 not called or too short"
	if got := r.Summary(); got != summary {
		t.Errorf("%s\nwant %s", got, summary)
	}
	r.Base.Limit = 0
	if r.Judge(r.Base); r.Base.Failed != 0 || !strings.HasPrefix(r.Summary(), "10 functions") {
		t.Errorf("without a limit: %d fail, %s", r.Base.Failed, r.Summary())
	}
}

// TestLimited: a trial goes on while the limit is within the interval.
func TestLimited(t *testing.T) {
	for _, test := range []struct {
		pair verdict.Pair
		want bool
	}{
		{pair(1/1.3, 1/1.25, 1/1.2, 1), true},
		{pair(1/1.04, 1/1.03, 1/1.01, 1), false},
		{pair(1/1.015, 1/1.01, 1/1.005, 1), true},
		{pair(1.1, 1.2, 1.3, 0), true},
		{verdict.Pair{}, false},
		{verdict.Pair{Known: true, Low: -0.07, Effect: -0.03, High: 0.02, Placement: 0.045, Noise: 0.001}, true}, // and would for ever
	} {
		c := ChangeOf(test.pair)
		if got := c.Limited(0.02); got != test.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// TestChangeGolden holds the text and the markdown of a change.
func TestChangeGolden(t *testing.T) {
	r := changed()
	for format, name := range map[string]string{"text": "change.txt", "markdown": "change.md"} {
		var b strings.Builder
		if err := Formats[format](r, &b); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(file, []byte(b.String()), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), b.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestChangeJSON: a report that is read judges as the one that was written.
func TestChangeJSON(t *testing.T) {
	r := changed()
	var b, text, again strings.Builder
	if err := r.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	read, err := ReadJSON(strings.NewReader(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	r.WriteText(&text)
	read.WriteText(&again)
	if diff := cmp.Diff(text.String(), again.String()); diff != "" {
		t.Errorf("(-written +read):\n%s", diff)
	}
}
