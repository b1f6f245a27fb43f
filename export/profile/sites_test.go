package profile

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/goprofinstr/goprofinstr/export/internal/profiletest"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/sampler/pcct"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// lexWithEnds is package lex with one marker of Words that has the path register, at the back edge.
func lexWithEnds() *table.Package {
	lex := profiletest.Sampled(profiletest.Lex())
	lex.Functions[0].Ends = []table.End{{Marker: 0, Edge: 11}}
	return lex
}

// sitesRun is a run in which the loop of Words went round some times by each of two copies.
func sitesRun(pid int, name string, in, own uint64) *profiletest.Run {
	r := profiletest.NewRun(pid, pid, []string{"/tmp/" + name}, lexWithEnds())
	inMain := []pcct.Frame{{Name: "example.com/m/lex.Words", Line: 6}, {Name: "main.main", Line: 9}}
	site := func(address, times uint64, path ...int) profiletest.Site {
		return profiletest.Site{Address: address, Function: inWords.Name, Times: times, Samples: times / 10, Path: path}
	}
	loop := site(0x401000, in, wordsBlank...)
	loop.Register, loop.Frames = true, inMain
	r.Site(loop)
	r.Site(site(0x401010, 0, wordsEmpty...))
	loop = site(0x402000, own, wordsBlank...)
	loop.Register = true
	r.Site(loop)
	return r
}

// TestSites has two runs of one program and one of another.
func TestSites(t *testing.T) {
	p := load(t, sitesRun(1, "m", 100, 0), sitesRun(2, "m", 20, 0))
	if len(p.Programs) != 1 || p.Programs[0].Name != "m" {
		t.Fatalf("programs %+v, want m", p.Programs)
	}
	type site struct {
		Address        uint64
		Ends           []int
		Count, Samples int64
		Frames         int
	}
	var got []site
	for _, s := range p.Programs[0].Sites {
		if s.Function != function(t, p, inWords.Name) {
			t.Errorf("%#x is in %s", s.Address, s.Function.Table.Name)
		}
		got = append(got, site{s.Address, s.Ends, s.Count, s.Samples, len(s.Frames)})
	}
	want := []site{{0x401000, []int{11}, 120, 12, 2}, {0x401010, []int{12}, 0, 0, 0}, {0x402000, []int{11}, 0, 0, 0}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("sites (-want +got):\n%s", diff)
	}

	other := sitesRun(3, "a", 10, 10)
	other.Data().Sites[0].Address++
	if p := load(t, sitesRun(1, "m", 100, 0), other); len(p.Programs) != 2 || p.Programs[0].Name != "a" {
		t.Errorf("programs %+v, want a and m", p.Programs)
	}
}

// TestSiteOfNothing has a site of a path that there is not.
func TestSiteOfNothing(t *testing.T) {
	r := sitesRun(1, "m", 100, 0)
	r.Data().Sites[1].Marker.Number = 1 << 40
	p, err := New([]*rundata.Run{r.Data()}, nil)
	if err != nil || len(p.Damaged) != 1 || p.Damaged[0].Part != Probes || len(p.Programs[0].Sites) != len(r.Data().Sites)-1 {
		t.Errorf("%v, damaged %v, want a site of no path", err, p.Damaged)
	}
}

// TestLoops finds loops, with several back edges. It finds none where an edge is cut that is no back edge or leads to one of two
// entries.
func TestLoops(t *testing.T) {
	edge := func(from, to int) table.Edge { return table.Edge{From: from, To: to} }
	back := func(from, to int) table.Edge { return table.Edge{From: from, To: to, Back: true} }
	for _, test := range []struct {
		name  string
		exit  int
		edges []table.Edge
		want  []Loop
	}{
		{"none", 2, []table.Edge{edge(0, 1), edge(1, 2)}, nil},
		{"self", 2, []table.Edge{edge(0, 1), back(1, 1), edge(1, 2)}, []Loop{{1, []int{1}}}},
		{"entry", 2, []table.Edge{edge(0, 1), back(1, 0), edge(1, 2)}, []Loop{{0, []int{1}}}},
		{"two back edges", 4, []table.Edge{edge(0, 1), edge(1, 2), edge(1, 3), back(2, 1), back(3, 1), edge(3, 4)}, []Loop{{1, []int{3, 4}}}},
		{"nested", 4, []table.Edge{edge(0, 1), edge(1, 2), back(2, 2), edge(2, 3), back(3, 1), edge(3, 4)}, []Loop{{1, []int{4}}, {2, []int{2}}}},
		{"cut", 4, []table.Edge{edge(0, 1), edge(1, 2), edge(1, 3), back(2, 3), back(3, 1), edge(3, 4)}, []Loop{{1, []int{4}}}},
		{"two entries", 3, []table.Edge{edge(0, 1), edge(0, 2), edge(1, 2), back(2, 1), edge(2, 3)}, nil},
	} {
		f := &Function{Table: &table.Function{Blocks: make([]table.Block, test.exit+1), Edges: test.edges, Exit: test.exit}}
		if diff := cmp.Diff(test.want, f.Loops()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}
