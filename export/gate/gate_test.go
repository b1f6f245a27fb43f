package gate

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/goprofinstr/goprofinstr/export/gate/internal/ignore"
	"github.com/goprofinstr/goprofinstr/export/internal/code"
	"github.com/goprofinstr/goprofinstr/export/internal/profiletest"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// randomTable returns the table of a function of diamonds and a loop, with random facts of a few conditions.
func randomTable(rnd *rand.Rand) *table.Package {
	f := table.Function{Name: "example.com/m.F", File: "m.go", Line: 1, EndLine: 100}
	diamonds := 2 + rnd.IntN(5)
	for i := range diamonds {
		b, line := 3*i, 10*i+1
		f.Blocks = append(f.Blocks, table.Block{Line: line, EndLine: line}, table.Block{Line: line + 1, EndLine: line + 2}, table.Block{Line: line + 3, EndLine: line + 3})
		f.Edges = append(f.Edges,
			table.Edge{From: b, To: b + 1, Kind: table.IfThen, Line: line},
			table.Edge{From: b, To: b + 2, Kind: table.IfElse, Line: line},
			table.Edge{From: b + 1, To: b + 3, Kind: table.Jump},
			table.Edge{From: b + 2, To: b + 3, Kind: table.Jump})
	}
	last := 3 * diamonds
	f.Blocks = append(f.Blocks, table.Block{Line: 90, EndLine: 90}, table.Block{})
	f.Edges = append(f.Edges, table.Edge{From: last, To: last + 1, Kind: table.Return})
	if rnd.IntN(2) == 0 { // back to the second diamond
		f.Edges = append(f.Edges, table.Edge{From: last, To: 3, Kind: table.LoopBack})
	}
	f.Exit = last + 1
	for range f.Edges {
		var facts []table.Fact
		for range rnd.IntN(3) {
			facts = append(facts, table.Fact(rnd.IntN(9)))
		}
		f.Facts = append(f.Facts, facts)
	}
	return profiletest.Package("example.com/m", f)
}

func load(t *testing.T, r *profiletest.Run) *profile.Profile {
	t.Helper()
	p, err := profile.New([]*rundata.Run{r.Data()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestFeasible holds counts, edges and what is named against a look at each path by itself.
func TestFeasible(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range 300 {
		p := load(t, profiletest.NewRun(1, 0, nil, randomTable(rnd)))
		f := p.Packages[0].Functions[0]
		lines := Lines{"m.go": {10*rnd.IntN(5) + 2: true}}
		if i%3 == 0 {
			lines = nil
		}
		texts := code.New(new(profile.Profile))
		m := measure(f, lines, texts, ignore.New(texts.Files))
		if m.unknown {
			t.Fatalf("function %d: too many states", i)
		}
		var paths, all uint64
		edges := make([]bool, len(f.Table.Edges))
		d := f.Decoder()
		for id := range d.NumPaths() {
			path, err := d.Path(id)
			if err != nil {
				t.Fatal(err)
			}
			if f.Infeasible(path.Edges) {
				continue
			}
			all++
			if m.passes(path.Start, path.Edges) {
				paths++
			}
			for _, e := range path.Edges {
				edges[e] = true
			}
		}
		if m.paths != paths || m.all != all || !slices.Equal(m.edges, edges) {
			t.Errorf("function %d: %d of %d paths by %v, want %d of %d by %v", i, m.paths, m.all, m.edges, paths, all, edges)
		}
		if got := len(m.missingPaths(1<<12, findLost(nil, p))); uint64(got) != min(paths, mostRanked) {
			t.Errorf("function %d: %d missing paths are named of %d", i, got, paths)
		}
		for _, b := range m.branches {
			w := m.wayThrough(b.edge)
			if w == nil || f.Infeasible(w.edges) || !slices.Contains(w.edges, b.edge) {
				t.Errorf("function %d: edge %d: found %v", i, b.edge, w)
			}
		}
	}
}

// TestFeasibleOfManyBlocks counts paths of a function with more blocks than the walk with conditions takes states.
func TestFeasibleOfManyBlocks(t *testing.T) {
	const last = mostStates + 3
	f := &profile.Function{Table: &table.Function{Name: "example.com/m.F", Blocks: make([]table.Block, last+1), Exit: last}}
	for i := range last - 2 { // one path is of nearly all blocks
		f.Table.Edges = append(f.Table.Edges, table.Edge{From: i, To: i + 1})
	}
	f.Table.Edges = append(f.Table.Edges, table.Edge{From: last - 2, To: last},
		table.Edge{From: 0, To: last - 1}, table.Edge{From: last - 1, To: last})
	changed := make([]bool, last+1)
	changed[last-1] = true
	got := feasible(f, changed, outEdges(f))
	if got.all != 2 || got.paths != 1 || !got.unknown || slices.Contains(got.edges, false) {
		t.Errorf("%d of %d paths, unknown %v; want 1 of 2 by all edges", got.paths, got.all, got.unknown)
	}
}

// TestManyPaths names paths of a function that has 2⁴⁰ of them: those that leave the executed one.
func TestManyPaths(t *testing.T) {
	f := table.Function{Name: "example.com/m.F", File: "m.go", Line: 1, EndLine: 400, Storage: table.StorageHash}
	const diamonds = 40
	var walk []int
	for i := range diamonds {
		b, line := 3*i, 5*i+1
		f.Blocks = append(f.Blocks, table.Block{Line: line}, table.Block{Line: line + 1}, table.Block{Line: line + 3})
		walk = append(walk, len(f.Edges), len(f.Edges)+2)
		f.Edges = append(f.Edges,
			table.Edge{From: b, To: b + 1, Kind: table.IfThen, Line: line},
			table.Edge{From: b, To: b + 2, Kind: table.IfElse, Line: line},
			table.Edge{From: b + 1, To: b + 3, Kind: table.Jump},
			table.Edge{From: b + 2, To: b + 3, Kind: table.Jump})
	}
	f.Blocks = append(f.Blocks, table.Block{Line: 399}, table.Block{})
	walk = append(walk, len(f.Edges))
	f.Edges = append(f.Edges, table.Edge{From: 3 * diamonds, To: 3*diamonds + 1, Kind: table.Return})
	f.Exit = 3*diamonds + 1
	r := profiletest.NewRun(1, 0, nil, profiletest.Package("example.com/m", f))
	r.Call(f.Name, 7, walk...)
	result, err := Check(load(t, r), Options{Min: map[Measure]float64{Path: 1}, Most: 5})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(result.Gates[0].Coverage.Possible, len(result.Missing), result.More[Path]), "1099511627776 5 1099511627770"; got != want {
		t.Errorf("possible, named and other paths: %s, want %s", got, want)
	}
	for _, m := range result.Missing {
		if m.near != 7 || m.new == 0 || len(m.Conditions) != diamonds+1 {
			t.Errorf("%s: near %d, %d new branches, %v", m.What, m.near, m.new, m.Conditions)
		}
	}
}

// TestReaches compares percentages that floating-point numbers cannot hold.
func TestReaches(t *testing.T) {
	for _, test := range []struct {
		covered, possible int
		percent           float64
		want              bool
	}{
		{4, 5, 80, true}, {7, 10, 70, true}, {1, 3, 33.3, true}, {1, 3, 33.4, false}, {0, 0, 100, true}, {999, 1000, 99.9, true}, {0, 1, 0, true},
	} {
		c := Coverage{Covered: int64(test.covered), Possible: big.NewInt(int64(test.possible))}
		if got := reaches(c.share(), test.percent); got != test.want {
			t.Errorf("%d of %d reaches %v%%: %v", test.covered, test.possible, test.percent, got)
		}
	}
}

// TestPercents has shares that look alike with one digit, and differ.
func TestPercents(t *testing.T) {
	for _, test := range []struct {
		covered, possible, before, of int64
		have, want                    string
	}{
		{818, 862, 807, 850, "94.90%", "94.94%"},
		{1, 2, 2, 4, "50.0%", "50.0%"},
		{1, 2, 1, 3, "50.0%", "33.3%"},
		{99_998, 100_000, 99_999, 100_000, "99.998%", "99.999%"},
		{100_000, 100_000, 99_999, 100_000, "100%", ">99.9%"},
		{0, 3, 1, 10_000, "0%", "<0.1%"},
		{0, 0, 0, 0, "-", "-"},
	} {
		have, want := percents(coverage(test.covered, test.possible), coverage(test.before, test.of))
		if have != test.have || want != test.want {
			t.Errorf("%d of %d, before %d of %d: %s and %s, want %s and %s",
				test.covered, test.possible, test.before, test.of, have, want, test.have, test.want)
		}
	}
}

// TestBelow has coverage that rounds to what was wanted.
func TestBelow(t *testing.T) {
	for _, test := range []struct {
		covered, possible int64
		want              float64
		text              string
	}{
		{9496, 10_000, 95, "94.96%"},
		{7, 8, 90, "87.5%"},
		{94_999, 100_000, 95, "94.999%"},
		{99_999, 100_000, 100, ">99.9%"},
		{0, 1, 50, "0%"},
	} {
		if got := below(coverage(test.covered, test.possible), test.want); got != test.text {
			t.Errorf("%d of %d, want %g: %s, want %s", test.covered, test.possible, test.want, got, test.text)
		}
	}
}

func coverage(covered, possible int64) Coverage {
	return Coverage{Covered: covered, Possible: big.NewInt(possible), Doubtful: new(big.Int)}
}
