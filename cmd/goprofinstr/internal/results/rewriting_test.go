package results

import (
	"go/types"
	"testing"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/buildtest"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/toolchain"
	"github.com/goprofinstr/goprofinstr/rewrite"
	"github.com/goprofinstr/goprofinstr/rewrite/load"
	"github.com/goprofinstr/goprofinstr/rewrite/method"
)

// TestPackageKey changes what is in the key besides the sources, which package load's test changes.
func TestPackageKey(t *testing.T) {
	buildtest.EmptyCache(t)
	c, tc := buildtest.Command(t, "go test go/scanner")
	build := buildtest.Load(t, c, tc, false, "go/scanner")
	p := build.Packages[0]
	plain := rewrite.Options{Abandoned: true, Sizes: types.SizesFor("gc", tc.GOARCH)}
	key := Open(tc).packageKey(build, p, plain)

	for name, change := range map[string]func(*rewrite.Options){
		"atomic": func(o *rewrite.Options) { o.Counting.Atomic = true },
		"race":   func(o *rewrite.Options) { o.Counting.Race = true },
		"hooks":  func(o *rewrite.Options) { o.Abandoned = false },
		"gaps":   func(o *rewrite.Options) { o.SplitAtGaps = !o.SplitAtGaps },
		"ranges": func(o *rewrite.Options) { o.RangeNames = !o.RangeNames },
	} {
		changed := plain
		change(&changed)
		if Open(tc).packageKey(build, p, changed) == key {
			t.Errorf("%s: the same key", name)
		}
	}
	for name, change := range map[string]func(*toolchain.Toolchain){
		"release": func(tc *toolchain.Toolchain) { tc.GOVERSION = "go1.26.0" },
		"system":  func(tc *toolchain.Toolchain) { tc.GOOS = "plan9" },
		"arch":    func(tc *toolchain.Toolchain) { tc.GOARCH = "386" },
	} {
		changed := *tc
		change(&changed)
		if Open(&changed).packageKey(build, p, plain) == key {
			t.Errorf("%s: the same key", name)
		}
	}
	other := Open(tc)
	c1, _ := other.open()
	other.open = func() (opened, bool) { return opened{c1.Cache, c1.tool + "."}, true }
	if other.packageKey(build, p, plain) == key {
		t.Error("another tool: the same key")
	}
	p.Declined = "for a reason"
	if Open(tc).packageKey(build, p, plain) == key {
		t.Error("declined: the same key")
	}
}

// TestTyped rewrites test files that only have labels, without export data of what is recompiled for the test.
func TestTyped(t *testing.T) {
	buildtest.EmptyCache(t)
	c, tc := buildtest.Command(t, "go test go/scanner")
	build := buildtest.Load(t, c, tc, true, "go/scanner")
	if len(build.Packages) != 3 {
		t.Fatalf("%d packages, want three", len(build.Packages))
	}
	options := rewrite.Options{Counting: method.Options{Sampling: method.Sampling{Copies: true}}, Beside: true}
	w := Open(tc).Rewriting(build, options)
	if typed := w.Typed(); len(typed) != 1 || typed[0].ID != "go/scanner" {
		t.Errorf("%d packages need types", len(typed))
	}
	if err := build.LoadExports(w.Typed(), nil); err != nil {
		t.Fatal(err)
	}
	all, _, err := w.Run(nil, func(p *load.Package) {
		if p.TestFiles {
			t.Errorf("%s waits for export data", p.ID)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range all {
		if r.Link == nil || len(r.Link.Table.Files) == 0 {
			t.Errorf("%s has no labels", build.Packages[i].ID)
		}
	}
	options.Beside = false
	if typed := Open(tc).Rewriting(build, options).Typed(); len(typed) != 3 {
		t.Errorf("%d packages need types where test files are counted, want all", len(typed))
	}
}
