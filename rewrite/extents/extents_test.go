package extents

import (
	"fmt"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestOf has what go1.26.8 and go1.27.0 make of a file. Package integration holds others against the tool itself.
func TestOf(t *testing.T) {
	const src = `package p

func F(n int) int {
	if n > 0 {
	} else if n < 0 {
		n++
	}
	return n
}

//line y/grammar.y:10
func G() {

	// nothing
label:
	for {
		break label
	}
	_ = func() {}
}
`
	for _, test := range []struct {
		gaps bool
		want []string
	}{
		{false, []string{
			"3.20: 3.19,4.11 1", "4.12: 4.12,5.3 0", "5.9: 5.8,5.18 1", "5.19: 5.18,7.3 1", "8.2: 8.2,8.10 1",
			"12.11: 10.0,14.0 1 grammar.y", "16.7: 14.0,15.0 1 grammar.y", "19.2: 17.0,17.0 1 grammar.y", "19.14: 17.0,17.1 0 grammar.y",
		}},
		{true, []string{
			"3.20: 4.2,4.11 1", "4.12: 4.12,4.12 0", "5.9: 5.9,5.18 1", "5.19: 6.3,7.1 1", "8.2: 8.2,8.10 1",
			"12.11: 15.1,16.6 1 grammar.y", "16.7: 17.3,17.14 1 grammar.y", "19.2: 19.2,19.13 1 grammar.y", "19.14: 19.14,19.14 0 grammar.y",
		}},
	} {
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, "/x/p.go", src, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		list, names := Of(fset, f, []byte(src), test.gaps)
		var got []string
		for _, e := range list {
			line := fmt.Sprintf("%d.%d: %d.%d,%d.%d %d", e.Line, e.Col, e.StartLine, e.StartCol, e.EndLine, e.EndCol, e.Stmts)
			if e.Name > 0 {
				line += " " + names[e.Name-1]
			}
			got = append(got, line)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("gaps %t (-want +got):\n%s", test.gaps, diff)
		}
		if strings.Join(names, " ") != "grammar.y" {
			t.Errorf("names %q", names)
		}
	}
}
