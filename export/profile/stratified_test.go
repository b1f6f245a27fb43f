package profile

import (
	"testing"

	"github.com/goprofinstr/goprofinstr/export/internal/profiletest"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// TestStratifiedFunction has a function that is sampled beside one that is counted.
func TestStratifiedFunction(t *testing.T) {
	pkg := loopTable()
	pkg.Functions[0].Storage, pkg.Functions[0].Counts, pkg.Functions[0].Entries = table.StorageHash, table.Strata, -1
	pkg.Counters = 0
	r := profiletest.NewRun(1, 0, nil, pkg)
	run := r.Data()
	run.Stream = &rundata.Stream{Spec: "H[P5]1", Rate: 5, Begun: []uint64{1}, Since: []uint64{3}}
	run.Packages[0].Hashes[0] = map[uint64]uint64{0: 3}
	p := load(t, r)
	f := function(t, p, "example.com/m.F")
	if p.Rule() != HowOften || p.Certainty() != Estimated || f.Abandoned != 0 {
		t.Errorf("%v is known of most, %v of all, %d abandoned", p.Rule(), p.Certainty(), f.Abandoned)
	}
	if len(f.Paths) != 1 || f.Paths[0].Count != 1+2*5+3 || f.Paths[0].Samples != 3 {
		t.Errorf("paths %+v", f.Paths)
	}
	if err := p.Check(); err != nil {
		t.Error(err)
	}
}
