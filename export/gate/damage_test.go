package gate

import (
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/export/internal/profiletest"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// covered is a run of a package all of whose functions that are instrumented are covered but Words.
func covered(change func(*table.Package)) *profiletest.Run {
	lex := profiletest.Lex()
	change(lex)
	r := profiletest.NewRun(1, 0, nil, lex)
	r.Call("example.com/m/lex.Must", 3, 1, 3)
	r.Call("example.com/m/lex.Must", 3, 0, 2)
	return r
}

func same(*table.Package) {}

// TestDamaged holds that a function whose counts make no sense is not covered, as if it had never been called. The
// check must fail where it is not known what there was to cover.
func TestDamaged(t *testing.T) {
	check := func(run, baseline *profiletest.Run, tables ...*table.Package) *Result {
		t.Helper()
		o := Options{Min: map[Measure]float64{Path: 1}, Most: 5}
		if baseline != nil {
			var err error
			if o.Baseline, err = profile.New([]*rundata.Run{baseline.Data()}, nil); err != nil {
				t.Fatal(err)
			}
		}
		p, err := profile.New([]*rundata.Run{run.Data()}, tables)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Check(p, o)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	whole := check(covered(same), nil)
	counts := covered(same)
	counts.Data().Packages[0].Counters[0] = 1 << 63 // activations of Words
	r := check(counts, nil)
	if got, want := r.Gates[0].Coverage, whole.Gates[0].Coverage; got.Covered != want.Covered || got.Possible.Cmp(want.Possible) != 0 {
		t.Errorf("counts that make no sense: %d of %v paths, want %d of %v", got.Covered, got.Possible, want.Covered, want.Possible)
	}
	if r.LeftOut != 1 || r.Declined != whole.Declined || len(r.Unread) > 0 || !r.Passed() {
		t.Errorf("counts that make no sense: %+v", r)
	}

	graph := covered(func(p *table.Package) { p.Functions[0].Edges[3].To = 99 })
	if r := check(graph, nil); len(r.Unread) != 1 || !strings.Contains(r.Unread[0], "lex.Words") || r.Passed() {
		t.Errorf("a graph that makes no sense: %+v", r)
	}
	lost := covered(same)
	lost.Data().Packages[0].Table = []byte("x")
	if r := check(lost, nil); len(r.Unread) != 1 || r.Passed() {
		t.Errorf("a package that is lost: %+v", r)
	}
	if r := check(lost, nil, profiletest.Lex()); r.Damaged != 1 || len(r.Unread) > 0 || r.Passed() {
		t.Errorf("a package that is known from its table: %+v", r)
	}
	if r := check(covered(same), counts); len(r.Unread) != 1 || !strings.HasPrefix(r.Unread[0], "of the baseline") || r.Passed() {
		t.Errorf("a damaged baseline: %+v", r)
	}
}

// TestNotRun has packages whose tests did not run, of which some do not compile themselves. A demand must not be met for want of
// data. A package without functions has none that could be missed, nor has one that is declined and compiles. Of a package
// whose tests leave data the result says that they did not run.
func TestNotRun(t *testing.T) {
	declined := func(pkg, why string) *table.Package {
		return profiletest.Package(pkg, table.Function{Name: pkg + ".F", Declined: why})
	}
	tables := []*table.Package{
		declined("example.com/m/untyped", table.Untyped+": m.go:3:1: undefined: x"),
		declined("example.com/m/cgo", table.ImportsC+", and there is no translation by cgo"),
		declined("example.com/m/runtime", "part of what the Go runtime is made of"),
		profiletest.Package("example.com/m/model"),
	}
	p, err := profile.New([]*rundata.Run{covered(same).Data()}, tables)
	if err != nil {
		t.Fatal(err)
	}
	for name, passes := range map[string]bool{
		"example.com/m/lex": true, "example.com/m/model": true, "example.com/m/untyped": false, "example.com/m/broken": false,
		"example.com/m/cgo": false, "example.com/m/runtime": true,
	} {
		p.NotRun = []string{name}
		r, err := Check(p, Options{Min: map[Measure]float64{Path: 1}})
		if err != nil {
			t.Fatal(err)
		}
		if r.Passed() != passes {
			t.Errorf("%s did not run: %v", name, r.Unread)
		}
		var text strings.Builder
		if err := WriteText(&text, r); err != nil {
			t.Fatal(err)
		}
		note := "not run: the tests of 1 package: " + name
		if strings.Contains(text.String(), note) != (name == "example.com/m/lex") {
			t.Errorf("%s did not run, and the check says\n%s", name, text.String())
		}
	}
}
