package inline

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func call(caller, callee string, offset int, weight int64) Edge {
	return Edge{Caller: caller, Callee: callee, Offset: offset, Weight: weight}
}

func TestRename(t *testing.T) {
	edges := []Edge{
		call("p.(*T).F", "p.g", 3, 10),
		call("p.(*T).F.func1", "p.g", 4, 9),
		call("p.(*T).F.func1.2", "p.g", 5, 8),
		call("p.(*T).F-range1", "p.g", 6, 7),
		call("p.(*T).Fast", "p.g", 1, 6),   // another function
		call("p.(*T).F_pgo", "p.h", 1, 5),  // of another build
		call("p.caller", "p.(*T).F", 1, 4), // the calls of F stay
		call("p.(*T).F.gowrap1", "p.h", 2, 3),
	}
	want := []Edge{
		call("p.(*T).F_pgo", "p.g", 3, 10),
		call("p.(*T).F_pgo.func1", "p.g", 4, 9),
		call("p.(*T).F_pgo.func1.2", "p.g", 5, 8),
		call("p.(*T).F_pgo-range1", "p.g", 6, 7),
		call("p.(*T).Fast", "p.g", 1, 6),
		call("p.caller", "p.(*T).F", 1, 4),
		call("p.(*T).F_pgo.gowrap1", "p.h", 2, 3),
	}
	if diff := cmp.Diff(want, Rename(edges, "p.(*T).F", "p.(*T).F_pgo")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if edges[0].Caller != "p.(*T).F" {
		t.Error("the edges that were given are changed")
	}
}
