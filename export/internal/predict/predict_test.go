package predict_test

import (
	"slices"
	"testing"

	"github.com/goprofinstr/goprofinstr/export/internal/predict"
	"github.com/goprofinstr/goprofinstr/export/internal/profiletest"
	"github.com/goprofinstr/goprofinstr/export/internal/samples"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// figure1 is the graph of figure 1 of the paper. D ─▶ F is in the order of the source, as if E were the body of an if statement.
//
//	A:1 ─0─▶ B:2 ─2─▶ C:3     D:4 ─5─▶ E:5 ─7─▶ F:6 ─8─▶ exit
//	 └──1──▶ C    └─3─▶ D      └───6──────────▶ F
//	         C ─4─▶ D
func figure1() *table.Package {
	edge := func(from, to int) table.Edge { return table.Edge{From: from, To: to, Kind: table.Jump} }
	return profiletest.Package("p", table.Function{
		Name: "p.F", File: "p.go", Line: 1, EndLine: 7,
		Blocks: []table.Block{{Line: 1}, {Line: 2}, {Line: 3}, {Line: 4}, {Line: 5}, {Line: 6}, {}},
		Edges:  []table.Edge{edge(0, 1), edge(0, 2), edge(1, 2), edge(1, 3), edge(2, 3), edge(3, 4), edge(3, 5), edge(4, 5), edge(5, 6)},
		Exit:   6,
	})
}

var (
	acdf   = []int{1, 4, 6, 8}
	acdef  = []int{1, 4, 5, 7, 8}
	abcdef = []int{0, 2, 4, 5, 7, 8}
	abdf   = []int{0, 3, 6, 8}
	abdef  = []int{0, 3, 5, 7, 8}
)

// TestMispredictions has the two path profiles of the paper's table 1, which have one and the same edge profile: it leads to
// ACDEF.
func TestMispredictions(t *testing.T) {
	type call struct {
		times uint64
		edges []int
	}
	for name, test := range map[string]struct {
		calls          []call
		hottest        []int
		predicted      int64 // executions of ACDEF
		right, allOf   int64
		mispredictions int
	}{
		"Prof1":   {[]call{{90, acdf}, {60, acdef}, {100, abcdef}, {20, abdf}}, abcdef, 60, 60, 270, 1},
		"Prof2":   {[]call{{110, acdf}, {40, acdef}, {100, abcdef}, {20, abdef}}, abcdef, 40, 40, 270, 1},
		"one":     {[]call{{7, acdef}}, nil, 0, 7, 7, 0},
		"a tie":   {[]call{{5, acdf}, {5, acdef}}, nil, 0, 10, 10, 0},
		"nothing": {nil, nil, 0, 0, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			r := profiletest.NewRun(1, 0, nil, figure1())
			for _, c := range test.calls {
				r.Call("p.F", c.times, c.edges...)
			}
			p := samples.Load(t, r)
			if right, all := predict.Predicted(p); right != test.right || all != test.allOf {
				t.Errorf("%d of %d predicted, want %d of %d", right, all, test.right, test.allOf)
			}
			list := predict.Mispredictions(p)
			if len(list) != test.mispredictions {
				t.Fatalf("%d mispredictions, want %d", len(list), test.mispredictions)
			}
			for _, m := range list {
				if !slices.Equal(m.Hottest.Edges, test.hottest) || !slices.Equal(m.Predicted.Edges, acdef) || m.Predicted.Count != test.predicted {
					t.Errorf("hottest %v, predicted %v of %d executions", m.Hottest.Edges, m.Predicted.Edges, m.Predicted.Count)
				}
			}
		})
	}
}

// TestMispredictionLoop has two ways around a loop that each turn takes, in a profile whose edges say so.
func TestMispredictionLoop(t *testing.T) {
	r := profiletest.NewRun(1, 0, nil, profiletest.Lex())
	profiletest.CallWords(r, 10, "some words")
	if list := predict.Mispredictions(samples.Load(t, r)); len(list) != 0 {
		t.Errorf("mispredicted: %+v", list)
	}
}
