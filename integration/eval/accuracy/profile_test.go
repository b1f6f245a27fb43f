package accuracy

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// TestNew reduces a profile of two functions of one name, one that was declined and one that was not executed.
func TestNew(t *testing.T) {
	function := func(col int, paths ...profile.Path) *profile.Function {
		return &profile.Function{Package: "p", Paths: paths, Table: &table.Function{
			Name: "p.init", File: "p/p.go", Body: table.Block{Line: 3, Col: col},
			Edges: []table.Edge{{From: 0, To: 1, Kind: table.IfThen},
				{From: 0, To: 0, Kind: table.LoopBack, Back: true}},
		}}
	}
	declined := function(70)
	declined.Table.Declined = "why not"
	got := New(&profile.Profile{Packages: []*profile.Package{{Path: "p", Functions: []*profile.Function{
		function(9, profile.Path{ID: 7, Count: 5, Edges: []int{1}},
			profile.Path{Count: 3, Loop: true, Edges: []int{0}}),
		function(50),
		declined,
		function(30, profile.Path{Count: 1, Edges: []int{0}}),
	}}}})
	edges := []Edge{{0, 1, false}, {0, 0, true}}
	want := &Profile{[]*Function{
		{Name: "p p.init p/p.go:3:30", Edges: edges, Paths: []Path{{Edges: []int{0}, Weight: 1}}},
		{Name: "p p.init p/p.go:3:9", Edges: edges, Paths: []Path{{Edges: []int{1}, Weight: 5},
			{Loop: true, Edges: []int{0}, Weight: 3}}},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
