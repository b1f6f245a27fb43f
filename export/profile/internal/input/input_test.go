package input

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/goprofinstr/goprofinstr/rt/rundata"
)

// TestOneBuild has a run with a package of another build. All that points to the package goes with it: numbers of its functions
// are those of others now.
func TestOneBuild(t *testing.T) {
	old, kept := &rundata.Package{Path: "a", Table: []byte("old")}, &rundata.Package{Path: "b", Table: []byte("b")}
	earlier := &rundata.Run{Packages: []*rundata.Package{old, kept}}
	for _, p := range earlier.Packages {
		at := rundata.PathAt{Package: p, Hash: -1}
		earlier.Sampled = append(earlier.Sampled, at)
		earlier.Uncounted = append(earlier.Uncounted, rundata.Uncounted{PathAt: at})
		earlier.Replicates = append(earlier.Replicates, rundata.Replicate{PathAt: at})
	}
	run := &rundata.Run{Packages: []*rundata.Package{{Path: "a", Table: []byte("new")}, kept}}
	runs, damaged := OneBuild([]*rundata.Run{earlier, run}, []EncodedTable{{Data: []byte("new")}})
	at := rundata.PathAt{Package: kept, Hash: -1}
	want := []*rundata.Run{{
		Packages: []*rundata.Package{kept}, Sampled: []rundata.PathAt{at},
		Uncounted: []rundata.Uncounted{{PathAt: at}}, Replicates: []rundata.Replicate{{PathAt: at}},
	}, run}
	if diff := cmp.Diff(want, runs); diff != "" || len(damaged) != 1 {
		t.Errorf("damaged: %v (-want +got)\n%s", damaged, diff)
	}
	if len(earlier.Packages) != 2 || earlier.Sampled[0].Package != old {
		t.Error("the run itself was changed")
	}
}
