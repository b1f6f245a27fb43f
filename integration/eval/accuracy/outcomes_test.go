package accuracy

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// TestOutcomes has a function of two conditions; the estimate has not seen the second at all.
func TestOutcomes(t *testing.T) {
	with := func(edges ...int64) *profile.Profile {
		f := &profile.Function{Package: "p", Edges: edges, Table: &table.Function{
			Name: "p.f", File: "p/p.go",
			Blocks: make([]table.Block, 3),
			Edges: []table.Edge{{From: 0, To: 1, Kind: table.IfThen, Line: 3, Col: 5},
				{From: 0, To: 1, Kind: table.IfElse, Line: 3, Col: 5},
				{From: 1, To: 2, Kind: table.IfThen, Line: 7, Col: 5},
				{From: 1, To: 2, Kind: table.IfElse, Line: 7, Col: 5}},
		}}
		return &profile.Profile{Packages: []*profile.Package{{Path: "p", Functions: []*profile.Function{f}}}}
	}
	seen, never, err := Outcomes(with(90, 0, 2, 88), with(70, 0, 0, 0))
	want := []Missed{{"p.f p/p.go:7:5 was false", 88}, {"p.f p/p.go:7:5 was true", 2}}
	if diff := cmp.Diff(want, never); diff != "" || seen != 3 || err != nil {
		t.Errorf("%d, %v (-want +got):\n%s", seen, err, diff)
	}
	if _, _, err := Outcomes(with(1, 0, 0, 1), new(profile.Profile)); err == nil {
		t.Error("no error for another program")
	}
}
