package tally

import (
	"testing"

	"github.com/goprofinstr/goprofinstr/export/internal/profiletest"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// TestNames has calls counted by their targets, whose names a tally does not have: they are counted as calls of one, and
// the function keeps its paths.
func TestNames(t *testing.T) {
	p := profiletest.Lex()
	p.Functions[0].Selectors = []table.Selector{{Kind: table.Calls, Line: 6, Hash: 0}}
	run := profiletest.NewRun(1, 0, nil, p)
	profiletest.CallWords(run, 3, "a b")
	run.Data().Packages[0].Hashes = []map[uint64]uint64{{0x401000: 4, 0x402000: 5}}
	got, err := Of(run.Data()).Profile(new(profile.Tables))
	if err != nil || got.Damaged != nil {
		t.Fatal(err, got.Damaged)
	}
	f := got.Packages[0].Functions[0]
	if f.Entries != 3 || len(f.Paths) == 0 {
		t.Errorf("%d entries, %d paths", f.Entries, len(f.Paths))
	}
	if len(f.Events) != 1 || len(f.Events[0].Values) != 1 || f.Events[0].Values[0].Name != "?" || f.Events[0].Count != 9 {
		t.Errorf("events %+v", f.Events)
	}
}
