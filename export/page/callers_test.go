package page

import (
	"testing"

	"github.com/goprofinstr/goprofinstr/export/internal/profiletest"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/sampler/pcct"
)

// TestCallers merges the contexts of a path into a tree of callers, for the path and for all paths.
func TestCallers(t *testing.T) {
	r := profiletest.NewRun(1, 0, nil, profiletest.Sampled(profiletest.Lex()))
	frame := func(name string, line int32) pcct.Frame {
		return pcct.Frame{Name: name, File: "/m/main.go", Line: line, StartLine: 1}
	}
	main := r.Context(pcct.Node{Parent: -1, Frames: []pcct.Frame{frame("main.main", 9)}})
	other := r.Context(pcct.Node{Parent: main, Frames: []pcct.Frame{frame("main.other", 20)}})
	must := pcct.Frame{Name: "example.com/m/lex.Must", File: "/m/lex/lex.go", StartLine: 20}
	direct := r.Context(pcct.Node{Parent: main, Frames: []pcct.Frame{must}})
	indirect := r.Context(pcct.Node{Parent: other, Frames: []pcct.Frame{must}})
	seen := func(node int, n uint64) rundata.ContextPath {
		return rundata.ContextPath{Node: node, Estimate: n * runfile.SampleUnit, Samples: n}
	}
	r.Sample("example.com/m/lex.Must", 40, 40, []rundata.ContextPath{seen(direct, 10), seen(indirect, 30)}, 1, 3)
	r.Sample("example.com/m/lex.Must", 10, 10, nil, 0, 2)
	s := New(load(t, r, "lex/lex.go", profiletest.LexSource), "m")
	f := s.byID["example.com/m/lex.Must"]
	trees := s.newFunctionView(f, nil, shownPaths).Trees
	if len(trees) != 3 || trees[0].Path != "" || !trees[0].Selected || trees[0].Known != "80.0%" || trees[1].Known != "100%" || len(trees[2].Callers) != 0 {
		t.Fatalf("trees %+v", trees)
	}
	for _, tree := range trees[:2] {
		if len(tree.Callers) != 2 {
			t.Fatalf("%d callers, want 2", len(tree.Callers))
		}
		first, second := tree.Callers[0], tree.Callers[1]
		if first.Caller.Name != "main.other" || first.Weight != 30 || first.Percent != "75.0%" || len(first.Callers) != 1 || first.Callers[0].Caller.Name != "main.main" {
			t.Errorf("first caller %+v", first)
		}
		if second.Caller.Name != "main.main" || second.Caller.Line != 9 || second.Weight != 10 || len(second.Callers) != 0 {
			t.Errorf("second caller %+v", second)
		}
	}
}

// TestCallersByTime divides the CPU time of a path where nothing else is known of its callers.
func TestCallersByTime(t *testing.T) {
	r := profiletest.NewRun(1, 0, nil, profiletest.Sampled(profiletest.Lex()))
	must := pcct.Frame{Name: "example.com/m/lex.Must", File: "/m/lex/lex.go", StartLine: 20}
	main := r.Context(pcct.Node{Parent: -1, Frames: []pcct.Frame{{Name: "main.main", File: "/m/main.go", Line: 9, StartLine: 1}}})
	node := r.Context(pcct.Node{Parent: main, Frames: []pcct.Frame{must}})
	r.Sample(must.Name, 40, 40, []rundata.ContextPath{{Node: node, Time: 5_000_000}}, 1, 3)
	s := New(load(t, r, "lex/lex.go", profiletest.LexSource), "m")
	tree := s.newFunctionView(s.byID[must.Name], nil, shownPaths).Trees[0]
	if tree.Known != "" || len(tree.Callers) != 1 || tree.Callers[0].Percent != "100%" || tree.Callers[0].Time != 5_000_000 {
		t.Errorf("%+v", tree)
	}
}
