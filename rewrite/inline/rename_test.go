package inline

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRename(t *testing.T) {
	edges := []Edge{
		{"p.(*T).F", "p.g", 3, 10},
		{"p.(*T).F.func1", "p.g", 4, 9},
		{"p.(*T).F.func1.2", "p.g", 5, 8},
		{"p.(*T).F-range1", "p.g", 6, 7},
		{"p.(*T).Fast", "p.g", 1, 6},   // another function
		{"p.(*T).F_pgo", "p.h", 1, 5},  // of another build
		{"p.caller", "p.(*T).F", 1, 4}, // the calls of F stay
		{"p.(*T).F.gowrap1", "p.h", 2, 3},
	}
	want := []Edge{
		{"p.(*T).F_pgo", "p.g", 3, 10},
		{"p.(*T).F_pgo.func1", "p.g", 4, 9},
		{"p.(*T).F_pgo.func1.2", "p.g", 5, 8},
		{"p.(*T).F_pgo-range1", "p.g", 6, 7},
		{"p.(*T).Fast", "p.g", 1, 6},
		{"p.caller", "p.(*T).F", 1, 4},
		{"p.(*T).F_pgo.gowrap1", "p.h", 2, 3},
	}
	if diff := cmp.Diff(want, Rename(edges, "p.(*T).F", "p.(*T).F_pgo")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if edges[0].Caller != "p.(*T).F" {
		t.Error("the edges that were given are changed")
	}
}
