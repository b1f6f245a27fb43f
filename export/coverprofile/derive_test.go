package coverprofile

import (
	"testing"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// TestAdd: extents that line directives make equal are one, if they are of one declaration.
func TestAdd(t *testing.T) {
	function := func(name string) *profile.Function {
		return &profile.Function{Package: "m", Table: &table.Function{Name: name}}
	}
	e := Extent{File: "m/y", StartLine: 1, EndLine: 2, Stmts: 1}
	at := func(e Extent, line int) Extent { e.at.line = line; return e }
	other := e
	other.Stmts = 2
	var test TestProfile
	for i, c := range []Count{
		{e, function("m.F"), 1}, {e, function("m.F.func1"), 2}, {e, function("m.G"), 4}, {other, function("m.G"), 8}, {other, function("m.(*T).G"), 16},
	} {
		c.Extent = at(c.Extent, i)
		test.add(c)
	}
	var got []int64
	for _, c := range test.Extents {
		got = append(got, c.Count)
	}
	if len(got) != 4 || got[0] != 3 || got[1] != 4 || got[2] != 8 || got[3] != 16 {
		t.Errorf("%v", got)
	}
}
