package replay

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/cache"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/instrument"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/mode"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/toolchain"
	"github.com/goprofinstr/goprofinstr/export/profiledir"
	"github.com/goprofinstr/goprofinstr/rewrite/load"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
)

// Begin begins a wrap of go test, whose output directory is locked. The failed packages are those that vet finds
// something in. env is the environment of the go command. It returns nil if all tests are to run.
func Begin(c *gocmd.Command, tc *toolchain.Toolchain, target *instrument.Target, out *profiledir.Dir,
	failed []*packages.Package, env []string,
) *Tests {
	if !takes(c, tc, target.Options) {
		return nil
	}
	t := &Tests{store: target.Store, out: out, env: newEnvironment(env)}
	h := t.store.Hash("open wraps")
	h.Add(out.Path)
	t.open = h.Key()
	b := target.Build
	mains := make(map[string]*packages.Package) // of test binaries, by the package under test
	for _, p := range b.Roots {
		if load.IsTestMain(p) {
			mains[strings.TrimSuffix(p.PkgPath, ".test")] = p
		}
	}
	counted := newCounted(b)
	general := generalKey(c, tc, target.Options, out, t.env)
	for _, p := range b.Roots {
		isTested := p.ForTest == "" && !load.IsTestMain(p) && !slices.Contains(failed, p)
		main := mains[p.PkgPath]
		if !isTested || main != nil && !counted.has(main) {
			continue
		}
		test := newTest(p, main, b, tc, general)
		test.pattern = p.PkgPath
		if load.InMain(p) {
			test.pattern = c.Pattern(p.PkgPath, p.Dir)
		}
		t.list = append(t.list, test)
	}
	if t.store.Dir() == "" || len(t.list) == 0 {
		return nil
	}
	return t.begin()
}

// newTest returns the test of package p with a test binary, which is nil if it is not known.
func newTest(p, main *packages.Package, b *load.Build, tc *toolchain.Toolchain, general cache.Key) *test {
	t := &test{Place: Place{Path: p.PkgPath, Dir: p.Dir, Root: tc.GOROOT}}
	if p.Module != nil {
		t.Root = p.Module.Dir
	}
	if main != nil {
		sum := b.SumOf(main)
		h := cache.NewHash("tests")
		h.Add(string(general[:]), p.PkgPath, string(sum[:]))
		t.key = h.Key()
	}
	return t
}

// generalKey returns a hash of what the run data of all tests depend on, besides the sources. What else decides which
// binary it is need not be in it: the go command runs another binary, and then the earlier run is of no account.
func generalKey(c *gocmd.Command, tc *toolchain.Toolchain, o instrument.Options, out *profiledir.Dir, env environment) cache.Key {
	dir, _ := filepath.Abs(c.Dir)
	h := cache.NewHash("test binaries")
	h.Add(tc.Described(), dir, out.Path, fmt.Sprintf("%+v %+v", o.Counting, o.Kinds), o.Mode)
	h.Add(fmt.Sprint(o.Tests, o.PerTest, o.Entries, o.Pairs, o.Without), strings.Join(o.Patterns, " "))
	h.Add(slices.Sorted(maps.Keys(o.Covered))...)
	// What the runtime reads, and no test log has:
	h.Add(env[runfile.ArgsVar], env[runfile.ServiceVar], env[runfile.AttributesVar])
	for _, f := range c.Flags {
		h.Add(f.Words...)
	}
	return h.Key()
}

// cacheable are the flags of go test besides those of go build whose results the go command keeps (go help test), and
// those that do not reach test binaries.
var cacheable = strings.Fields("benchtime cpu failfast fullpath list parallel run short skip timeout vet")

// takes reports whether the go command may have results of tests that are run so. If it were wrong, run data would be
// kept in vain.
func takes(c *gocmd.Command, tc *toolchain.Toolchain, o instrument.Options) bool {
	if c.Verb != "test" || !tc.Runs(c) || len(c.Packages) == 0 || len(c.Rest) > 0 ||
		slices.Contains(c.Packages, load.FilesPackage) {
		return false
	}
	if tc.GOOS != "linux" || !slices.Contains([]string{"amd64", "arm64", "riscv64"}, tc.GOARCH) {
		return false
	}
	if o.Mode != mode.Exact || o.Counting.Sampling.On() || o.Counting.Stream.On() || o.Profile != "" {
		return false
	}
	g := &tc.Release().GoCommand
	for _, name := range slices.Concat(g.TestBoolFlags, g.TestValueFlags) {
		if _, ok := tc.Lookup(c, name); ok && !slices.Contains(cacheable, name) {
			return false
		}
	}
	inVariable, given, err := tc.PackageFlags(c, "ldflags")
	return err == nil && !slices.ContainsFunc(slices.Concat(inVariable, given), func(value string) bool {
		return value != "" && !strings.HasPrefix(strings.TrimLeft(value, " "), "-") // has a pattern
	})
}

// counted tells which packages are linked with instrumented ones.
type counted struct {
	known map[*packages.Package]bool
}

func newCounted(b *load.Build) counted {
	paths := make(map[string]bool)
	for _, p := range b.Packages {
		paths[p.Path] = paths[p.Path] || p.Declined == ""
	}
	c := counted{make(map[*packages.Package]bool)}
	for _, p := range b.All {
		if paths[p.PkgPath] {
			c.known[p] = true
		}
	}
	return c
}

func (c counted) has(p *packages.Package) bool {
	if known, ok := c.known[p]; ok {
		return known
	}
	c.known[p] = false
	for _, imported := range p.Imports {
		if c.has(imported) {
			c.known[p] = true
		}
	}
	return c.known[p]
}
