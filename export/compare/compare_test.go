package compare

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/goprofinstr/goprofinstr/export/internal/profiletest"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/show"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/sampler"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// moved moves functions down by some lines.
func moved(p *table.Package, by int) *table.Package {
	for i := range p.Functions {
		f := &p.Functions[i]
		f.Line += by
		for j := range f.Blocks {
			if f.Blocks[j].Line > 0 {
				f.Blocks[j].Line += by
			}
		}
	}
	return p
}

func load(t *testing.T, runs ...*profiletest.Run) *profile.Profile {
	t.Helper()
	var data []*rundata.Run
	for _, r := range runs {
		data = append(data, r.Data())
	}
	p, err := profile.New(data, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestMovedLines finds every path again in a file in which everything is on other lines.
func TestMovedLines(t *testing.T) {
	before := profiletest.NewRun(1, 0, nil, profiletest.Lex())
	profiletest.CallWords(before, 3, "ab c")
	after := profiletest.NewRun(1, 0, nil, moved(profiletest.Lex(), 7))
	profiletest.CallWords(after, 3, "ab c")
	c, err := New(load(t, before), load(t, after))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(c.Appeared) + len(c.Vanished) + len(c.Changed); n > 0 || c.Total.Had != c.Total.Paths || c.Total.Had == 0 {
		t.Errorf("%d differences, %+v", n, c.Total)
	}
	for _, p := range c.Pairs {
		if p.Changed || p.Renamed {
			t.Errorf("%s: changed %v, renamed %v", p.New.Table.Name, p.Changed, p.Renamed)
		}
	}
}

// TestChance compares samples of the same shares, of shares that differ by less than chance would, and by more.
func TestChance(t *testing.T) {
	run := func(first, second uint64) *profile.Profile {
		r := profiletest.NewRun(1, 0, nil, profiletest.Sampled(profiletest.Lex()))
		r.Data().Sampling = &rundata.Sampling{Policy: sampler.Policy{Samples: 64, Stride: 17}}
		r.Sample("example.com/m/lex.Must", first, first, nil, 0, 2)
		r.Sample("example.com/m/lex.Must", second, second, nil, 1, 3)
		return load(t, r)
	}
	for _, test := range []struct {
		a, b    [2]uint64
		changed int
		chance  int
	}{
		{[2]uint64{640, 640}, [2]uint64{640, 640}, 0, 0},
		{[2]uint64{640, 640}, [2]uint64{700, 580}, 0, 2}, // 20 bursts each
		{[2]uint64{640, 640}, [2]uint64{1279, 1}, 2, 0},  // z = 3.6
		{[2]uint64{64000, 64000}, [2]uint64{80000, 48000}, 2, 0},
	} {
		c, err := New(run(test.a[0], test.a[1]), run(test.b[0], test.b[1]))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := []int{len(c.Changed), c.Chance}, []int{test.changed, test.chance}; !slices.Equal(got, want) {
			t.Errorf("%v and %v: %v changed and by chance, want %v", test.a, test.b, got, want)
		}
	}
}

// TestOverlap is the table of Ball & Larus for two inputs.
func TestOverlap(t *testing.T) {
	first := profiletest.NewRun(1, 0, nil, profiletest.Lex())
	first.Call("example.com/m/lex.Must", 1, 1, 3)
	second := profiletest.NewRun(1, 0, nil, profiletest.Lex())
	second.Call("example.com/m/lex.Must", 3, 1, 3)
	second.Call("example.com/m/lex.Must", 1, 0, 2)
	c, err := New(load(t, first), load(t, second))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Overlap{Paths: 2, Had: 1, Flow: 4, HadFlow: 3}, c.Total); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestOutcomes has a condition that was never true in one of two runs, and a function that was only executed in one.
func TestOutcomes(t *testing.T) {
	const must = "example.com/m/lex.Must"
	run := func(fails, returns uint64, words string) *profile.Profile {
		r := profiletest.NewRun(1, 0, nil, profiletest.Lex())
		if fails > 0 {
			r.Call(must, fails, 0, 2)
		}
		r.Call(must, returns, 1, 3)
		if words != "" {
			profiletest.CallWords(r, 1, words)
		}
		return load(t, r)
	}
	type outcome struct {
		function, never string
		other           int64
	}
	list := func(outcomes []Outcome) (all []outcome) {
		for _, o := range outcomes {
			all = append(all, outcome{show.Short(o.Now.Table.Name, o.Now.Package), o.Never, o.Other})
		}
		return all
	}
	first, second := run(0, 4, ""), run(2, 3, "a b")
	c, err := New(first, second)
	if err != nil {
		t.Fatal(err)
	}
	found := list(c.Outcomes.Found)
	words := outcome{"lex.Words", "evaluated", 0}
	want := []outcome{words, words, words, words, {"lex.Must", "true", 4}} // which leads to a panic
	if diff := cmp.Diff(want, found, cmp.AllowUnexported(outcome{})); diff != "" || len(c.Outcomes.Lost) > 0 || len(c.Outcomes.New) > 0 {
		t.Errorf("found: -want +got:\n%s; lost %v, new %v", diff, list(c.Outcomes.Lost), list(c.Outcomes.New))
	}
	if c, err = New(second, first); err != nil {
		t.Fatal(err)
	}
	if lost := list(c.Outcomes.Lost); len(c.Outcomes.Found) > 0 || !slices.Equal(lost, want) {
		t.Errorf("lost %v where %v was found", lost, found)
	}
}
