package stale

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

func TestMark(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	source := func(name, text string) table.Source { return table.Source{File: name, Sum: table.SumOf([]byte(text))} }
	p := &profile.Profile{Root: root, Sums: make(map[string]table.Sum), Packages: []*profile.Package{
		{Path: "m", Sources: []table.Source{source("a.go", "a\n"), source("b.go", "b")}},
		{Path: "dep", Sources: []table.Source{source("dep/d.go", "d")}},
	}}
	for _, pkg := range p.Packages {
		for _, s := range pkg.Sources {
			p.Sums[s.File] = s.Sum
		}
	}
	check := func(changed, want string) {
		t.Helper()
		p.Changed = nil
		if got := Mark(p, "out"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		if got := strings.Join(slices.Sorted(maps.Keys(p.Changed)), " "); got != changed {
			t.Errorf("changed: %q, want %q", got, changed)
		}
	}
	check("", "") // none is there: this is another machine
	write("a.go", "a\r\n")
	write("b.go", "b")
	check("", "")
	write("b.go", "other")
	check("b.go", "b.go has changed since out was made: run goprofinstr wrap again")
	p.Built = true
	check("b.go", "b.go has changed since the program was built: not used; -src DIR takes the sources of the build's commit")
	if err := os.Remove(filepath.Join(root, "b.go")); err != nil {
		t.Fatal(err)
	}
	write("a.go", "other")
	check("a.go b.go", "2 files have changed since the program was built, such as a.go: not used; -src DIR takes the sources of the build's commit")
	p.Built = false
	check("a.go b.go", "2 files have changed since out was made, such as a.go: run goprofinstr wrap again")
	p.Sums["a.go"] = nil // merged runs of files that differ
	write("b.go", "b")
	check("a.go", "a.go has changed since out was made: run goprofinstr wrap again")
	p.Root = ""
	check("", "")
}
