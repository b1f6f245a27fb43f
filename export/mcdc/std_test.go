package mcdc_test

import (
	"go/types"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/goprofinstr/goprofinstr/export/internal/code"
	"github.com/goprofinstr/goprofinstr/export/mcdc"
	"github.com/goprofinstr/goprofinstr/export/mcdc/decision"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/rewrite"
	"github.com/goprofinstr/goprofinstr/rewrite/load"
)

// TestStd takes all paths of functions of some packages for executed. Then each decision must have just the vectors
// that its expression can have. None may be missing from paths, cut by a path's end or mistaken for another. Functions
// of very many paths are left out.
func TestStd(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	b, err := load.Load(load.Config{
		Patterns: []string{"go/printer", "strconv", "text/template/parse", "path/filepath"},
		Select:   func(*packages.Package) bool { return true },
		Source:   os.ReadFile,
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.LoadExports(b.Packages, nil); err != nil {
		t.Fatal(err)
	}
	texts := code.New(&profile.Profile{Root: filepath.Join(runtime.GOROOT(), "src")})
	c := counts{lost: make(map[string]int), states: make(map[decision.State]int)}
	for _, p := range b.Packages {
		if err := p.Parse(); err != nil {
			t.Fatal(err)
		}
		r, err := rewrite.Rewrite(b, p, rewrite.Options{Sizes: types.SizesFor("gc", runtime.GOARCH)})
		if err != nil {
			t.Fatal(err)
		}
		for i := range r.Table.Functions {
			if f := &r.Table.Functions[i]; f.Declined == "" {
				edges, blocks := make([]int64, len(f.Edges)), make([]int64, len(f.Blocks))
				c.add(t, texts, &profile.Function{Package: p.Path, Table: f, Edges: edges, Blocks: blocks})
			}
		}
	}
	t.Logf("%+v", c)
	if c.whole < 300 {
		t.Error("too few decisions")
	}
}

type counts struct {
	decisions, large, hidden, whole int
	lost                            map[string]int // decisions, by reason
	states                          map[decision.State]int
}

// mostPaths is how many paths a function may have.
const mostPaths = 4000

func (c *counts) add(t *testing.T, texts *code.Texts, f *profile.Function) {
	d := f.Decoder()
	large := d.NumPaths() > mostPaths
	for id := uint64(0); id < d.NumPaths() && !large; id++ {
		p, err := d.Path(id)
		if err != nil {
			t.Fatal(err)
		}
		f.Paths = append(f.Paths, profile.Path{ID: id, Count: 1, Start: p.Start, Loop: p.Loop, Edges: p.Edges})
	}
	fn := mcdc.Of(f, texts, nil)
	if fn.Unread {
		t.Errorf("%s: decisions are not known", f.Table.Name)
	}
	for _, d := range fn.Decisions {
		c.decisions++
		switch {
		case large:
			c.large++
		case d.Why != "":
			c.lost[d.Why]++
		default:
			c.check(t, d)
		}
	}
}

// check holds the vectors of a decision against those that it can have.
func (c *counts) check(t *testing.T, d *mcdc.Decision) {
	constants := false
	for _, e := range d.Effects {
		c.states[e.State]++
		constants = constants || e.State == decision.Constant
	}
	if constants {
		return
	}
	n := len(d.Conditions)
	hidden := d.Kind == code.ValueLogical && len(d.Conditions[n-1].Tests) == 0
	list, _ := d.Expr.Vectors(n, 1<<16, func(_ decision.Vector, i int, is decision.Value) bool {
		return !hidden || i < n-1 || is == decision.True
	})
	want := make(map[string]bool)
	for _, v := range list {
		if hidden {
			v[n-1] = decision.Skipped
		}
		want[v.String()] = true
	}
	for _, v := range d.Vectors {
		if !want[v.Vector.String()] {
			t.Errorf("%s:%d: %s has %s", d.Function.Table.File, d.Line, d.Text, v.Text())
		}
	}
	if len(d.Vectors) != len(want) {
		t.Errorf("%s:%d: %s has %d vectors, want %d", d.Function.Table.File, d.Line, d.Text, len(d.Vectors), len(want))
	}
	if c.whole++; hidden {
		c.hidden++
	}
}
