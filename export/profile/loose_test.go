package profile

import (
	"maps"
	"testing"

	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// TestLoosePaths has paths of a function with a loop that no window has seen.
func TestLoosePaths(t *testing.T) {
	const entry, header, exit = 0, 1, 2
	const in, otherIn, round, otherRound, out, counted = 0, 1, 2, 3, 4, 5
	edges := []table.Edge{
		in: {From: entry, To: header, Back: true}, otherIn: {From: entry, To: header, Back: true},
		round: {From: header, To: header, Back: true}, otherRound: {From: header, To: header, Back: true},
		out: {From: header, To: exit}, counted: {From: header, To: exit},
	}
	path := func(edge int, samples int64) Path {
		return Path{ID: uint64(edge), Edges: []int{edge}, Start: edges[edge].From, Loop: edges[edge].From == header, Samples: samples}
	}
	for _, test := range []struct {
		name  string
		paths []Path
		want  map[uint64]bool
	}{
		{"flow tells of one way in", []Path{path(in, 0), path(round, 9), path(out, 9)}, map[uint64]bool{in: false}},
		{"but not of two", []Path{path(in, 0), path(otherIn, 0), path(round, 9)}, map[uint64]bool{in: true, otherIn: true}},
		{"nor of a way in and one out", []Path{path(in, 0), path(out, 0), path(round, 9)}, map[uint64]bool{in: true, out: true}},
		{"it does if one is counted", []Path{path(in, 0), path(counted, 0), path(round, 9)}, map[uint64]bool{in: false}},
		{"nor of rounds", []Path{path(in, 7), path(round, 9), path(otherRound, 0)}, map[uint64]bool{otherRound: true}},
	} {
		f := &Function{Table: &table.Function{Edges: edges}, Paths: test.paths, Missed: []bool{true, true, true, true, true, false}}
		if got := f.loosePaths(); !maps.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}
