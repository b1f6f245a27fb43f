package coverprofile

import (
	"slices"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// TestLocated: the tool is asked only about what a path table does not say. Here there is no tool.
func TestLocated(t *testing.T) {
	const src = "package p\n\nfunc F(n int) int {\n\tif n > 0 {\n\t\tn++\n\t}\n\treturn n\n}\n"
	const directed = "//line y.go:1\n" + src
	carried := table.AppendExtents(nil, []table.Extent{
		{Line: 3, Col: 20, StartLine: 3, StartCol: 19, EndLine: 4, EndCol: 11, Stmts: 1},
		{Line: 4, Col: 12, StartLine: 4, StartCol: 11, EndLine: 6, EndCol: 3, Stmts: 1},
		{Line: 7, Col: 2, StartLine: 7, StartCol: 2, EndLine: 7, EndCol: 10, Stmts: 1},
	})
	p := &profile.Profile{Packages: []*profile.Package{
		{Path: "m/p", Covered: true, Sources: []table.Source{
			{File: "p/f.go", Sum: table.SumOf([]byte(src)), Extents: carried},
			{File: "p/y.go", Sum: table.SumOf([]byte(directed)), Extents: carried},
		}},
		{Path: "m/old", Sources: []table.Source{{File: "p/f.go", Sum: table.SumOf([]byte(src)), Extents: carried}}},
	}}
	d := newDivider(p, Tool{Go: "there-is-no-such-command"})
	for _, c := range []struct {
		name, pkg, file, text string
		byTool                bool
		want                  bool // carried
	}{
		{"as it was", "m/p", "f.go", src, false, true},
		{"another comment", "m/p", "f.go", strings.Replace(src, "n++", "n++ // more", 1), false, true},
		{"moved", "m/p", "f.go", "\n" + src, false, false},
		{"line directives", "m/p", "y.go", directed, false, false},
		{"the order is asked for", "m/p", "f.go", src, true, false},
		{"a file that is not in the table", "m/p", "g.go", src, false, false},
		{"a table without extents", "m/old", "f.go", src, false, false},
		{"a package without a table", "m/none", "f.go", src, false, false},
	} {
		f := NewFile(t.TempDir()+"/"+c.file, "", []byte(c.text))
		extents, real, err := d.located(&Package{Path: c.pkg}, f, []byte(c.text), c.byTool)
		if c.want != (err == nil) {
			t.Errorf("%s: %v", c.name, err)
		}
		if !c.want {
			continue
		}
		var got []string
		for _, e := range extents {
			got = append(got, e.Counter()+" "+e.String())
		}
		want := []string{"3.20 m/p/f.go:3.19,4.11 1", "4.12 m/p/f.go:4.11,6.3 1", "7.2 m/p/f.go:7.2,7.10 1"}
		if !slices.Equal(got, want) || !slices.Equal(extents, real) {
			t.Errorf("%s: %v, real %v", c.name, got, real)
		}
	}
}
