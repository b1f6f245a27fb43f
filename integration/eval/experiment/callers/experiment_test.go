package callers

import (
	"regexp"
	"testing"

	"github.com/goprofinstr/goprofinstr/integration/eval/lab"
	"github.com/goprofinstr/goprofinstr/integration/eval/result"
)

// TestTally has runs without callers, with right ones, and with ones that are far off.
func TestTally(t *testing.T) {
	var sum tally
	perTurn := []int{30, 10}
	for _, f := range []found{
		{400, []float64{0, 0}},
		{400, []float64{308, 92}},  // 2 points
		{400, []float64{260, 140}}, // 10 points
		{400, []float64{75, 25}},   // three of four without a caller
		{800, []float64{600, 200}}, // twice as many as there were, but the right shares
		{0, []float64{0, 0}},       // nothing seen
	} {
		sum.add(f, perTurn, 10)
	}
	if sum.none != 2 || sum.all != 3 || sum.right != 2 {
		t.Errorf("%d without, %d with all, %d right", sum.none, sum.all, sum.right)
	}
	if sum.calls[0] != 1 || sum.calls[4] != 2 || sum.points[0] != 100 || sum.known[3] != 25 {
		t.Errorf("calls %v, points %v, known %v", sum.calls, sum.points, sum.known)
	}
}

// TestPrograms holds that there are ten programs of different names, whose shares are all calls.
func TestPrograms(t *testing.T) {
	names := make(map[string]bool)
	for i := range programs {
		p := &programs[i]
		names[p.name()] = true
		total := 0
		for _, s := range p.shares {
			total += s
		}
		if total != 100 {
			t.Errorf("%s: %d%%", p.name(), total)
		}
	}
	if len(names) != 10 {
		t.Errorf("%d programs", len(names))
	}
}

// TestCallers runs one program for an instant: that all of it works, not what is found.
func TestCallers(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs other programs")
	}
	x := &Experiment{Flags: lab.Flags{Match: regexp.MustCompile("60/30/10"), Dir: t.TempDir()}, runs: 2,
		seconds: 0.1, backends: "portable"}
	r := new(result.Report)
	if err := x.Run(r); err != nil {
		t.Fatal(err)
	}
	if r.Failed() || len(r.Notes) != 1 {
		t.Errorf("%v, %+v", r.Notes, r.Measures[0].Rows[0])
	}
}
