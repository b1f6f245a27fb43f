package profile

import (
	"errors"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/export/internal/profiletest"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// lexRun returns a run with calls of all kinds.
func lexRun() *profiletest.Run {
	r := profiletest.NewRun(1, 0, nil, profiletest.Lex())
	profiletest.CallWords(r, 2, "one two\tthree")
	profiletest.CallWords(r, 1, "one !")
	profiletest.CallWords(r, 1, "")
	r.Call("example.com/m/lex.Must", 3, 1, 3)
	r.Call("example.com/m/lex.Must", 1, 0, 2)
	r.Call("example.com/m/lex.Version", 1, 0)
	return r
}

func TestCheckAccepts(t *testing.T) {
	if err := load(t, lexRun()).Check(); err != nil {
		t.Error(err)
	}
	if err := new(Profile).Check(); err != nil {
		t.Error(err)
	}
}

// TestCheckEveryCount changes each count of the model by one, up and down:
// not one of them may go unnoticed.
func TestCheckEveryCount(t *testing.T) {
	p := load(t, lexRun())
	for _, f := range p.Functions() {
		if f.Declined() {
			continue
		}
		counts := []*int64{&f.Entries, &f.Abandoned}
		for i := range f.Blocks {
			counts = append(counts, &f.Blocks[i])
		}
		for i := range f.Edges {
			counts = append(counts, &f.Edges[i])
		}
		for i := range f.Paths {
			counts = append(counts, &f.Paths[i].Count)
		}
		for i, n := range counts {
			for _, by := range []int64{1, -1} {
				*n += by
				if err := p.Check(); err == nil {
					t.Errorf("%s: count %d: %d instead of %d passes", f.Table.Name, i, *n, *n-by)
				}
				*n -= by
			}
		}
	}
	if err := p.Check(); err != nil {
		t.Errorf("after undoing all changes: %v", err)
	}
}

// TestCheckTexts pins what the errors say.
func TestCheckTexts(t *testing.T) {
	for _, test := range []struct {
		name   string
		tamper func(words *Function)
		want   string
		lost   bool
	}{
		{"entries", func(f *Function) { f.Entries = 2 },
			"example.com/m/lex.Words: block 0 (lex/lex.go:4): entered 2 times, but 4 paths start there: counter updates were lost to concurrency (wrap -atomic loses none)", true},
		{"back edge", func(f *Function) { f.Edges[11] = 7 },
			"example.com/m/lex.Words: block 1 (lex/lex.go:6): back edges reached it 7 times, but 29 paths start there: counter updates were lost", true},
		{"inner edge", func(f *Function) { f.Edges[8]++ },
			"example.com/m/lex.Words: block 6 (lex/lex.go:12): 8 paths come in, 7 go out", false},
		{"block", func(f *Function) { f.Blocks[6] = 1 },
			"block 6 (lex/lex.go:12): count 1, but it was reached 7 times", false},
		{"abandoned", func(f *Function) { f.Abandoned = 0 },
			"example.com/m/lex.Words: abandoned 0, but 1 activations ended before or between path ends", false},
		{"path start", func(f *Function) { f.Paths[0].Start = 3 },
			"path 0: starts at block 3, want entry 0", false},
		{"path edges", func(f *Function) { f.Paths[0].Edges = []int{0, 3} },
			"path 0: edge 3 leaves block 2, want 1", false},
		{"path end", func(f *Function) { f.Paths[0].Edges = []int{0} },
			"path 0: ends at block 1, want exit or a back edge", false},
		{"back edge in the middle", func(f *Function) { f.Paths[0].Edges = []int{0, 1, 3, 7, 11, 2} },
			"path 0: back edge 11 in the middle", false},
		{"empty path", func(f *Function) { f.Paths[0].Edges = nil },
			"path 0: count 1, 0 edges", false},
	} {
		p := load(t, lexRun())
		f := function(t, p, "example.com/m/lex.Words")
		test.tamper(f)
		err := p.Check()
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %q, want %q", test.name, err, test.want)
		}
		if lost := errors.Is(err, ErrLostUpdates); lost != test.lost {
			t.Errorf("%s: lost updates: %v, want %v", test.name, lost, test.lost)
		}
	}
}

// TestCheckLostUpdate loses one update of a run, as unsynchronized
// increments do: of the entry counter, and of the path into the loop.
func TestCheckLostUpdate(t *testing.T) {
	for _, lose := range []func(*table.Function, *rundata.Package){
		func(f *table.Function, p *rundata.Package) { p.Counters[f.Entries]-- },
		func(f *table.Function, p *rundata.Package) {
			for id := range f.Values.NumPaths {
				if n := &p.Counters[f.First+id]; *n > 0 {
					*n--
					return
				}
			}
		},
	} {
		lex := profiletest.Lex()
		r := profiletest.NewRun(1, 0, nil, lex)
		profiletest.CallWords(r, 3, "a")
		lose(&lex.Functions[0], r.Data().Packages[0])
		err := load(t, r).Check()
		if !errors.Is(err, ErrLostUpdates) || !strings.Contains(err.Error(), "-atomic") {
			t.Errorf("error %v, want one about lost updates and -atomic", err)
		}
	}
}

// TestCheckManyErrors has more contradictions than are listed.
func TestCheckManyErrors(t *testing.T) {
	p := load(t, lexRun())
	words := function(t, p, "example.com/m/lex.Words")
	for i := range words.Blocks {
		words.Blocks[i]++
	}
	function(t, p, "example.com/m/lex.Must").Abandoned = 5
	lines := strings.Split(p.Check().Error(), "\n")
	if want := "11 contradictions in the counts of 2 functions"; len(lines) != maxCheckErrors+1 || lines[maxCheckErrors] != want {
		t.Errorf("%d lines, the last %q, want %d and %q", len(lines), lines[len(lines)-1], maxCheckErrors+1, want)
	}
	if n := strings.Count(words.Check().Error(), "\n") + 1; n != len(words.Blocks) {
		t.Errorf("Function.Check lists %d contradictions, want %d", n, len(words.Blocks))
	}
}
