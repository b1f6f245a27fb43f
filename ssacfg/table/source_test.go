package table

import (
	"bytes"
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// TestExtents encodes and decodes extents of every kind.
func TestExtents(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		s := Source{File: "a.go", Names: []string{"y", "z"}}
		var want []Extent
		for range r.IntN(20) {
			e := Extent{Line: 1 + r.IntN(100), Col: 1 + r.IntN(300), Stmts: r.IntN(70000)}
			e.StartLine, e.StartCol = e.Line, e.Col
			switch r.IntN(4) {
			case 0:
				e.StartCol = max(1, e.Col-1)
			case 1:
				e.StartLine, e.StartCol, e.Name = 1+r.IntN(300), 1+r.IntN(300), r.IntN(3)
			case 2:
				e.Name = r.IntN(3)
			}
			e.EndLine, e.EndCol = 1+r.IntN(300), 1+r.IntN(1000)
			want = append(want, e)
		}
		slices.SortFunc(want, func(a, b Extent) int { return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col)) })
		s.Extents = AppendExtents(nil, want)
		got, err := s.Decode()
		if err != nil {
			t.Fatal(err)
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Fatalf("(-encoded +decoded):\n%s", diff)
		}
	}
}

// TestExtentsSize holds what most extents take against a byte for each of their numbers.
func TestExtentsSize(t *testing.T) {
	list := []Extent{
		{Line: 3, Col: 20, StartLine: 3, StartCol: 19, EndLine: 4, EndCol: 11, Stmts: 1},
		{Line: 7, Col: 2, StartLine: 7, StartCol: 2, EndLine: 7, EndCol: 10, Stmts: 1},
	}
	if n := len(AppendExtents(nil, list)); n != 10 {
		t.Errorf("%d bytes for two extents", n)
	}
}

// FuzzExtents decodes anything. What comes out are places.
func FuzzExtents(f *testing.F) {
	f.Add(AppendExtents(nil, []Extent{{Line: 3, Col: 20, StartLine: 3, StartCol: 19, EndLine: 4, EndCol: 11, Stmts: 1, Name: 1}}))
	f.Add([]byte{3, 1, 1})
	f.Add([]byte{2, 1, 1, 0x80})
	f.Add(bytes.Repeat([]byte{0xff}, 30))
	f.Fuzz(func(t *testing.T, data []byte) {
		s := Source{File: "a.go", Names: []string{"y"}, Extents: data}
		list, err := s.Decode()
		if err != nil {
			return
		}
		for _, e := range list {
			if !isLine(e.Line, e.Col, e.StartLine, e.StartCol, e.EndLine, e.EndCol, e.Stmts) || e.Name > 1 {
				t.Errorf("%+v", e)
			}
		}
	})
}
