package gate

import (
	"bytes"
	"encoding/json"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/export/internal/profiletest"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// randomRun executes some of the paths of the function of a random table that go from its entry to its exit.
func randomRun(t *testing.T, rnd *rand.Rand, pkg *table.Package) *profile.Profile {
	t.Helper()
	f := load(t, profiletest.NewRun(1, 0, nil, pkg)).Packages[0].Functions[0]
	r, d := profiletest.NewRun(1, 0, nil, pkg), f.Decoder()
	for id := range d.NumPaths() {
		path, err := d.Path(id)
		if err != nil {
			t.Fatal(err)
		}
		whole := path.Start == f.Table.Entry && !path.Loop && !f.Table.Edges[path.Edges[len(path.Edges)-1]].Back
		if whole && !f.Infeasible(path.Edges) && rnd.IntN(4) == 0 {
			r.Call(f.Table.Name, 1+rnd.Uint64N(9), path.Edges...)
		}
	}
	return load(t, r)
}

// TestChange holds what a change does against checks of the base, of all code and of changed lines by themselves. It also
// holds the change against the edges that only the base has.
func TestChange(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	all := map[Measure]float64{Statement: 0, Branch: 0, Condition: 0, Path: 0}
	lostSomething := false
	for i := range 200 {
		pkg := randomTable(rnd)
		base, p := randomRun(t, rnd, pkg), randomRun(t, rnd, pkg)
		lines := Lines{"m.go": {10*rnd.IntN(5) + 1: true, 10*rnd.IntN(5) + 2: true}}
		check := func(p *profile.Profile, o Options) *Result {
			t.Helper()
			r, err := Check(p, o)
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		c := check(p, Options{Lines: lines, Most: 2, Base: &Base{Profile: base, Revision: "main", Commit: "1234"}}).Change
		gates := func(r *Result) map[Measure]Coverage {
			by := make(map[Measure]Coverage)
			for _, g := range r.Gates {
				by[g.Measure] = g.Coverage
			}
			return by
		}
		before, now := gates(check(base, Options{Min: all})), gates(check(p, Options{Min: all}))
		changed := gates(check(p, Options{Min: all, Lines: lines}))
		for _, m := range c.Measures {
			sameCoverage(t, "base", m.Measure, m.Before, before[m.Measure])
			sameCoverage(t, "now", m.Measure, m.Now, now[m.Measure])
			sameCoverage(t, "changed", m.Measure, m.Changed, changed[m.Measure])
			for _, f := range c.Files { // there is one
				sameCoverage(t, "file", m.Measure, *f.Coverage[m.Measure], changed[m.Measure])
			}
		}
		if got, want := len(c.Lost)+c.MoreLost, lostBetween(base, p); got != want {
			t.Errorf("function %d: %d outcomes are lost, want %d", i, got, want)
		}
		lostSomething = lostSomething || len(c.Lost) > 0
		for _, m := range c.Lost {
			if !m.Lost || !strings.Contains(m.What, "never") {
				t.Errorf("lost: %+v", m)
			}
		}
	}
	if !lostSomething {
		t.Error("no function has lost anything")
	}
}

func sameCoverage(t *testing.T, what string, m Measure, got, want Coverage) {
	t.Helper()
	if got.Covered != want.Covered || got.Possible.Cmp(want.Possible) != 0 {
		t.Errorf("%s, %s: %d of %v, want %d of %v", what, m, got.Covered, got.Possible, want.Covered, want.Possible)
	}
}

// lostBetween counts the outcomes of conditions that one profile has and another of the same table has not, and that are
// feasible.
func lostBetween(base, p *profile.Profile) (n int) {
	before, now := base.Functions()[0].Decisions(), p.Functions()[0].Decisions()
	for i := range before {
		if before[i].True > 0 && now[i].True == 0 {
			n++
		}
		if before[i].False > 0 && now[i].False == 0 {
			n++
		}
	}
	return n
}

// diamonds returns the table of a function of two if statements with else. The second may have another one in its first branch.
func diamonds(nested bool) *table.Package {
	f := table.Function{
		Name: "example.com/m.F", File: "m.go", Line: 1, EndLine: 20,
		Edges: []table.Edge{
			{From: 0, To: 1, Kind: table.IfThen, Line: 2}, {From: 0, To: 2, Kind: table.IfElse, Line: 2},
			{From: 1, To: 3, Kind: table.Jump}, {From: 2, To: 3, Kind: table.Jump},
			{From: 3, To: 4, Kind: table.IfThen, Line: 7}, {From: 3, To: 5, Kind: table.IfElse, Line: 7},
			{From: 5, To: 6, Kind: table.Jump}, {From: 6, To: 7, Kind: table.Return, Line: 18},
		},
		Blocks: make([]table.Block, 8),
		Exit:   7,
	}
	if nested {
		f.Blocks = append(f.Blocks, table.Block{}, table.Block{})
		f.Edges = append(f.Edges,
			table.Edge{From: 4, To: 8, Kind: table.IfThen, Line: 8}, table.Edge{From: 4, To: 9, Kind: table.IfElse, Line: 8},
			table.Edge{From: 8, To: 6, Kind: table.Jump}, table.Edge{From: 9, To: 6, Kind: table.Jump})
	} else {
		f.Edges = append(f.Edges, table.Edge{From: 4, To: 6, Kind: table.Jump})
	}
	return profiletest.Package("example.com/m", f)
}

// TestChangedGraph has a function that has changed, in which no path of the base is left. What branches have lost is told.
func TestChangedGraph(t *testing.T) {
	before := profiletest.NewRun(1, 0, nil, diamonds(false))
	before.Call("example.com/m.F", 3, 0, 2, 4, 8, 7)
	after := profiletest.NewRun(1, 0, nil, diamonds(true))
	after.Call("example.com/m.F", 3, 1, 3, 4, 8, 10, 7)
	base := load(t, before)
	r, err := Check(load(t, after), Options{
		Lines: Lines{}, Most: 5, Min: map[Measure]float64{Branch: 100}, Base: &Base{Profile: base, Commit: "1234"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if c := r.Change; len(c.Lost) != 1 || c.Lost[0].Line != 2 {
		t.Errorf("%d outcomes are lost, want that of line 2: %+v", len(c.Lost), c.Lost)
	}
}

// TestPoints has changes of every size.
func TestPoints(t *testing.T) {
	of := func(covered, possible int64) Coverage {
		return Coverage{Covered: covered, Possible: big.NewInt(possible), Doubtful: new(big.Int)}
	}
	for _, test := range []struct {
		before, now Coverage
		want        string
	}{
		{of(1, 2), of(3, 4), "50.0% 75.0% +25.0"},
		{of(3, 4), of(1, 2), "75.0% 50.0% -25.0"},
		{of(1, 2), of(1, 2), "50.0% 50.0% 0"},
		{of(0, 2), of(2, 2), "0% 100% +100.0"},
		{of(50_000, 100_000), of(50_001, 100_000), "50.000% 50.001% +0.001"},
		{of(2, 1e15), of(3, 1e15), "<0.1% <0.1% ≈0"},
		{of(0, 0), of(1, 2), "- 50.0% -"},
	} {
		c := Compared{Measure: Path, Before: test.before, Now: test.now, Changed: of(0, 0)}
		if got := strings.Join(c.cells()[1:4], " "); got != test.want {
			t.Errorf("%s, want %s", got, test.want)
		}
	}
}

// TestChangeFormats has a function that is not called any more, and one that is new.
func TestChangeFormats(t *testing.T) {
	before := profiletest.NewRun(1, 0, nil, profiletest.Lex())
	before.Call("example.com/m/lex.Must", 3, 1, 3)
	profiletest.CallWords(before, 2, " ab")
	after := profiletest.NewRun(1, 0, nil, profiletest.Lex())
	profiletest.CallWords(after, 2, "ab")
	r, err := Check(load(t, after), Options{
		Lines: Lines{"lex/lex.go": {7: true, 21: true}}, Most: 2, Min: map[Measure]float64{Condition: 100},
		Base: &Base{Profile: load(t, before), Revision: "origin/main", Commit: "1234567890abcdef"},
	})
	if err != nil {
		t.Fatal(err)
	}
	var text, markdown, data bytes.Buffer
	for _, err := range []error{WriteText(&text, r), WriteMarkdown(&markdown, r, "sub/"), WriteJSON(&data, r)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	contains := func(where, text string, list ...string) {
		t.Helper()
		for _, want := range list {
			if !strings.Contains(text, want) {
				t.Errorf("%s does not have %q:\n%s", where, want, text)
			}
		}
	}
	contains("text", text.String(), "FAIL  condition coverage of changed lines", "\nAgainst the merge base with origin/main, 1234567890ab\n",
		"\nconditions ", "\nNot covered any more, the most useful first\n")
	contains("Markdown", markdown.String(), "the check has failed\n", "- ❌ condition coverage of changed lines", "\n| conditions | ",
		"<details><summary>Not covered any more (2)</summary>", "<code>sub/lex/lex.go:7</code>", "\nThe base is the merge base with origin/main, 1234567890ab.\n")
	var j struct {
		Change struct {
			Commit   string
			Measures []struct{ Measure string }
			Files    []struct{ File string }
			Missing  []struct{ What string }
			Lost     []struct{ Line int }
		}
	}
	if err := json.Unmarshal(data.Bytes(), &j); err != nil {
		t.Fatal(err)
	}
	if c := j.Change; c.Commit != "1234567890abcdef" || len(c.Measures) != 4 || len(c.Files) != 1 || len(c.Missing) != 2 || len(c.Lost) != 2 {
		t.Errorf("%+v", c)
	}
}

// TestMissingTitle says of what is missing that it is on changed lines only where it is.
func TestMissingTitle(t *testing.T) {
	before := profiletest.NewRun(1, 0, nil, profiletest.Lex())
	profiletest.CallWords(before, 2, "a b")
	after := profiletest.NewRun(1, 0, nil, profiletest.Lex())
	profiletest.CallWords(after, 2, "")
	for _, test := range []struct {
		min      float64
		baseline *profile.Profile
		want     string
	}{
		{100, nil, "\n| not covered on changed lines, "},
		{0, load(t, before), "\n| not covered, "},
	} {
		r, err := Check(load(t, after), Options{
			Lines: Lines{"lex/lex.go": {7: true}}, Most: 2, Min: map[Measure]float64{Condition: test.min}, Baseline: test.baseline,
		})
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := WriteMarkdown(&b, r, ""); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), test.want) {
			t.Errorf("no %q in:\n%s", test.want, b.String())
		}
	}
}

// TestNoGates has a base and no demands: a list of JSON is a list.
func TestNoGates(t *testing.T) {
	p := load(t, profiletest.NewRun(1, 0, nil, profiletest.Lex()))
	r, err := Check(p, Options{Lines: Lines{}, Base: &Base{Profile: p, Commit: "1234"}})
	if err != nil {
		t.Fatal(err)
	}
	var data bytes.Buffer
	if err := WriteJSON(&data, r); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(data.String(), `"gates": []`) {
		t.Errorf("gates are no list:\n%s", &data)
	}
}
