package accuracy

import (
	"regexp"
	"testing"

	"github.com/goprofinstr/goprofinstr/integration/eval/estimates"
	"github.com/goprofinstr/goprofinstr/integration/eval/lab"
	"github.com/goprofinstr/goprofinstr/integration/eval/result"
)

// TestCoverage has intervals that hold the truth and ones that do not, of estimates and of exact numbers.
func TestCoverage(t *testing.T) {
	number := func(low, high float64) estimates.Number { return estimates.Number{Low: &low, High: &high} }
	share := number(0.2, 0.3)
	calls := number(7, 7)
	truth := []estimates.Function{{Name: "f",
		Paths: []estimates.Path{{ID: 1, Count: 6, Start: "entry"}, {ID: 2, Count: 90, Start: "loop"},
			{ID: 9, Count: 1, Start: "loop"}},
		Edges: []estimates.Edge{{Count: 24}, {Count: 72}}}}
	said := []estimates.Function{{Name: "f", Calls: &calls, Complete: true,
		Paths: []estimates.Path{{ID: 1, Number: number(5, 8)}, {ID: 2, Number: number(91, 95)},
			{ID: 3, Number: number(0, 4)}, {ID: 4}},
		Edges: []estimates.Edge{{Number: number(24, 24), Share: &share}, {Share: &share}}}}
	c := make(coverage)
	if err := c.compare(truth, said); err != nil {
		t.Fatal(err)
	}
	for column, want := range map[string]covered{columnPaths: {3, 2, 1}, columnCalls: {0, 0, 1},
		columnEdges: {0, 0, 0}, columnBranch: {2, 1, 0}} {
		if got := *c.of(column); got != want {
			t.Errorf("%s: %+v, want %+v", column, got, want)
		}
	}
	said[0].Complete = false // so of path 9 nothing is said
	if c = make(coverage); c.compare(truth, said) != nil || c.of(columnPaths).wrong != 0 {
		t.Errorf("paths of a function that is not complete: %+v", c.of(columnPaths))
	}
	if err := c.compare(truth, nil); err == nil {
		t.Error("no error for another program")
	}
}

// TestIntervals has a profile without intervals, and says so.
func TestIntervals(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs other programs")
	}
	x := &Intervals{options{Flags: lab.Flags{Match: regexp.MustCompile("Phases"), Dir: t.TempDir()}, trials: 2,
		samplers: "portable/pep(64,17)"}, 0.01}
	r := new(result.Report)
	if err := x.Run(r); err != nil || r.Failed() {
		t.Fatal(err, r.Measures[0].Rows[0])
	}
	if n := r.Measures[1].Rows[0].Values[columnPaths][0]; (n == 0) != (len(r.Notes) == 1) {
		t.Errorf("%v intervals, %q", n, r.Notes)
	}
}
