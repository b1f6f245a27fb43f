package profile

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/goprofinstr/goprofinstr/export/internal/profiletest"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// load returns the profile of runs and fails the test if there is none.
func load(t *testing.T, runs ...*profiletest.Run) *Profile {
	t.Helper()
	var data []*rundata.Run
	for _, r := range runs {
		data = append(data, r.Data())
	}
	p, err := New(data, nil)
	if err != nil || len(p.Damaged) > 0 {
		t.Fatal(err, p.Damaged)
	}
	return p
}

func function(t *testing.T, p *Profile, name string) *Function {
	t.Helper()
	for _, f := range p.Functions() {
		if f.Table.Name == name {
			return f
		}
	}
	t.Fatalf("no function %s", name)
	return nil
}

// loopTable is the table of the function in the package documentation.
func loopTable() *table.Package {
	return profiletest.Package("example.com/m", table.Function{
		Name: "example.com/m.F", File: "f.go", Line: 12, EndLine: 18,
		Blocks: []table.Block{{Line: 12}, {Line: 13}, {Line: 14}, {Line: 17}, {}},
		Edges: []table.Edge{
			{From: 0, To: 1, Kind: table.Jump},
			{From: 1, To: 2, Kind: table.CondTrue},
			{From: 1, To: 3, Kind: table.CondFalse},
			{From: 2, To: 1, Kind: table.LoopBack},
			{From: 3, To: 4, Kind: table.Return},
		},
		Exit: 4,
	})
}

// TestNegatedCondition has the clause !(a || b), c: of a nothing but the edge where it is false is left, and this comes first.
func TestNegatedCondition(t *testing.T) {
	r := profiletest.NewRun(1, 0, nil, profiletest.Package("example.com/m", table.Function{
		Name: "example.com/m.F", File: "f.go", Line: 3, EndLine: 10,
		Blocks: []table.Block{{Line: 4}, {Line: 5}, {Line: 6}, {Line: 8}, {}},
		Edges: []table.Edge{
			{From: 0, To: 1, Kind: table.CondFalse, Line: 5, Col: 9},
			{From: 0, To: 2, Kind: table.SwitchCase, Line: 5, Col: 18},
			{From: 0, To: 3, Kind: table.SwitchDefault, Line: 5, Col: 18},
			{From: 1, To: 2, Kind: table.SwitchCase, Line: 5, Col: 18},
			{From: 1, To: 3, Kind: table.SwitchDefault, Line: 5, Col: 18},
			{From: 2, To: 4, Kind: table.Return},
			{From: 3, To: 4, Kind: table.Return},
		},
		Exit: 4,
	}))
	r.Call("example.com/m.F", 7, 2, 6)
	r.Call("example.com/m.F", 5, 0, 3, 5)
	want := []Condition{
		{Kind: SwitchCondition, Line: 5, Col: 18, False: 7, NeverTrue: true},
		{Kind: SwitchCondition, Line: 5, Col: 18, True: 5, NeverFalse: true},
	}
	if diff := cmp.Diff(want, function(t, load(t, r), "example.com/m.F").Conditions()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestExample is the example of the package documentation.
func TestExample(t *testing.T) {
	r := profiletest.NewRun(1, 0, nil, loopTable())
	r.Call("example.com/m.F", 1, 0, 1, 3, 1, 3, 2, 4)
	p := load(t, r)
	f := function(t, p, "example.com/m.F")

	want := []Path{
		{ID: 0, Count: 1, Start: 0, Edges: []int{0, 1, 3}, Branches: 1},
		{ID: 2, Count: 1, Start: 1, Loop: true, Edges: []int{1, 3}, Branches: 1},
		{ID: 3, Count: 1, Start: 1, Loop: true, Edges: []int{2, 4}, Branches: 1},
	}
	if diff := cmp.Diff(want, f.Paths); diff != "" {
		t.Errorf("paths (-want +got):\n%s", diff)
	}
	wantLines := [][]int{{12, 13, 14, 13}, {13, 14, 13}, {13, 17}}
	wantLoops := []bool{true, true, false}
	for i := range f.Paths {
		if got := f.Lines(&f.Paths[i]); !slices.Equal(got, wantLines[i]) {
			t.Errorf("lines of path %d are %v, want %v", f.Paths[i].ID, got, wantLines[i])
		}
		if got := f.EndsInLoop(&f.Paths[i]); got != wantLoops[i] {
			t.Errorf("path %d ends in a loop: %v", f.Paths[i].ID, got)
		}
	}
	if want := []int64{1, 2, 1, 2, 1}; !slices.Equal(f.Edges, want) {
		t.Errorf("edges %v, want %v", f.Edges, want)
	}
	if want := []int64{1, 3, 2, 1, 1}; !slices.Equal(f.Blocks, want) {
		t.Errorf("blocks %v, want %v", f.Blocks, want)
	}
	if f.Entries != 1 || f.Abandoned != 0 || !f.Executed() || f.Declined() {
		t.Errorf("entries %d, abandoned %d, executed %v, declined %v", f.Entries, f.Abandoned, f.Executed(), f.Declined())
	}
}

// TestAbandoned has activations end between path ends and before the first.
func TestAbandoned(t *testing.T) {
	r := profiletest.NewRun(1, 0, nil, loopTable())
	r.Call("example.com/m.F", 5, 0, 1, 3, 2, 4)
	r.Call("example.com/m.F", 3, 0, 1, 3, 1)
	r.Call("example.com/m.F", 2, 0)
	p := load(t, r)
	f := function(t, p, "example.com/m.F")
	if f.Entries != 10 || f.Abandoned != 5 {
		t.Errorf("entries %d, abandoned %d, want 10 and 5", f.Entries, f.Abandoned)
	}
	// The edge taken after the last path end is in no count.
	if want := []int64{8, 8, 5, 8, 5}; !slices.Equal(f.Edges, want) {
		t.Errorf("edges %v, want %v", f.Edges, want)
	}
	if err := p.Check(); err != nil {
		t.Error(err)
	}
}

// TestNoEntryCounter covers functions whose entries are their paths from entry.
func TestNoEntryCounter(t *testing.T) {
	r := profiletest.NewRun(1, 0, nil, profiletest.Lex())
	r.Call("example.com/m/lex.Version", 7, 0)
	p := load(t, r)
	if f := function(t, p, "example.com/m/lex.Version"); f.Entries != 7 || f.Abandoned != 0 || f.Blocks[0] != 7 {
		t.Errorf("entries %d, abandoned %d, blocks %v, want 7, 0, 7…", f.Entries, f.Abandoned, f.Blocks)
	}
	if f := function(t, p, "example.com/m/lex.unused"); f.Executed() {
		t.Error("unused was executed")
	}
	if f := function(t, p, "example.com/m/lex.recovers"); !f.Declined() || f.Executed() || f.Blocks != nil {
		t.Errorf("declined function has counts: %+v", f)
	}
}

// TestLines covers blocks that share lines or have none.
func TestLines(t *testing.T) {
	f := &Function{Table: &table.Function{
		Line:   3,
		Blocks: []table.Block{{Line: 3}, {Line: 3}, {}, {Line: 4}, {}},
		Edges: []table.Edge{
			{From: 0, To: 1}, {From: 1, To: 1, Back: true}, {From: 1, To: 2}, {From: 2, To: 3}, {From: 3, To: 4}, {From: 2, To: 4},
		},
		Exit: 4,
	}}
	for _, test := range []struct {
		name  string
		start int
		edges []int
		want  []int
	}{
		{"same line", 0, []int{0, 2, 3, 4}, []int{3, 3, 4}},
		{"self loop", 1, []int{1}, []int{3, 3}},
		{"no source", 2, []int{5}, []int{3}},
		{"synthetic start", 2, []int{3, 4}, []int{4}},
	} {
		if got := f.Lines(&Path{Start: test.start, Edges: test.edges}); !slices.Equal(got, test.want) {
			t.Errorf("%s: lines %v, want %v", test.name, got, test.want)
		}
	}
}

// TestStepper has the steps of a path cost no more in a function of a thousand blocks.
func TestStepper(t *testing.T) {
	f := &Function{Table: &table.Function{Blocks: make([]table.Block, 1000), Edges: []table.Edge{{From: 0, To: 999}}}}
	for i := range f.Table.Blocks {
		f.Table.Blocks[i].Line, f.Table.Blocks[i].Col = 100+i/2, 1+i%2
	}
	p := &Path{Edges: []int{0}}
	steps := f.Stepper()
	if got, want := steps(p), []string{"100", "599:2"}; !slices.Equal(got, want) || !slices.Equal(got, f.Steps(p)) {
		t.Errorf("steps %v, and %v alone, want %v", got, f.Steps(p), want)
	}
	if n := testing.AllocsPerRun(10, func() { steps(p) }); n > 10 {
		t.Errorf("steps of a path take %v allocations", n)
	}
}

// TestAgainstTruth compares the counts of random walks through random graphs
// with those that were kept while walking.
func TestAgainstTruth(t *testing.T) {
	for seed := range uint64(300) {
		rnd := rand.New(rand.NewPCG(seed, 0))
		var functions []table.Function
		for _, name := range []string{"p.A", "p.B"} {
			f := randomFunction(rnd)
			f.Name = name
			if rnd.IntN(2) == 0 {
				f.Storage = table.StorageHash
			}
			functions = append(functions, f)
		}
		pkg := profiletest.Package("p", functions...)
		r := profiletest.NewRun(1, 0, nil, pkg)
		for range rnd.IntN(20) {
			f := &pkg.Functions[rnd.IntN(2)]
			r.Call(f.Name, 1+rnd.Uint64N(5), randomWalk(rnd, f)...)
		}

		p := load(t, r)
		if err := p.Check(); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		for name, truth := range r.Truth {
			f := function(t, p, name)
			if f.Entries != truth.Calls || f.Abandoned != truth.Abandoned {
				t.Errorf("seed %d: %s: entries %d, abandoned %d, want %d, %d",
					seed, name, f.Entries, f.Abandoned, truth.Calls, truth.Abandoned)
			}
			for id, n := range f.Edges {
				if n != truth.Edges[id] {
					t.Errorf("seed %d: %s: edge %d: %d, want %d", seed, name, id, n, truth.Edges[id])
				}
			}
			for id, n := range f.Blocks {
				if n != truth.Blocks[id] {
					t.Errorf("seed %d: %s: block %d: %d, want %d", seed, name, id, n, truth.Blocks[id])
				}
			}
		}
	}
}

// randomFunction returns a chain of blocks with random edges beside it, so that
// every block is reached and reaches the exit.
func randomFunction(rnd *rand.Rand) table.Function {
	n := 2 + rnd.IntN(7)
	f := table.Function{Blocks: make([]table.Block, n), Exit: n - 1}
	for b := range n - 1 {
		f.Edges = append(f.Edges, table.Edge{From: b, To: b + 1, Kind: table.Jump})
	}
	for range rnd.IntN(8) {
		f.Edges = append(f.Edges, table.Edge{From: rnd.IntN(n - 1), To: rnd.IntN(n), Kind: table.IfThen})
	}
	return f
}

// randomWalk returns the edges of a walk from entry that ends at exit, or anywhere.
func randomWalk(rnd *rand.Rand, f *table.Function) []int {
	var walk []int
	for at := f.Entry; at != f.Exit && len(walk) < 50 && rnd.IntN(30) > 0; {
		var out []int
		for id, e := range f.Edges {
			if e.From == at {
				out = append(out, id)
			}
		}
		id := out[rnd.IntN(len(out))]
		walk = append(walk, id)
		at = f.Edges[id].To
	}
	return walk
}
