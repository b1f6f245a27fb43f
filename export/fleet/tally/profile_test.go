package tally

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/goprofinstr/goprofinstr/export/internal/profiletest"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// called returns a run that has counted calls by their targets, a and maybe others, whose addresses begin at one.
func called(pid int, address uint64, names ...string) *profiletest.Run {
	p := profiletest.Lex()
	p.Functions[0].Selectors = []table.Selector{{Kind: table.Calls, Line: 6, Hash: 1}}
	run := profiletest.NewRun(pid, 0, nil, p)
	profiletest.CallWords(run, 3, "a b")
	targets := make(map[uint64]uint64)
	run.Data().Names = make(map[uint64]rundata.Name)
	for i, name := range names {
		at := address + uint64(i)
		targets[at] = uint64(4 + i)
		if name != "" {
			run.Data().Names[at] = rundata.Name{Text: name}
		}
	}
	run.Data().Packages[0].Hashes = []map[uint64]uint64{nil, targets}
	return run
}

// TestNames adds up runs that have counted the targets of calls: the same function has another address in each.
func TestNames(t *testing.T) {
	tables := new(profile.Tables)
	sum := new(Tally)
	for i, names := range [][]string{{"m.A", "m.B"}, {"m.B", "m.A", "m.C"}, {"m.A", ""}} {
		one, err := OfAny(called(i, 0x401000+uint64(i), names...).Data(), tables)
		if err != nil {
			t.Fatal(err)
		}
		before, names := dense(sum), len(sum.Names)
		if err := sum.Add(one); err != nil {
			t.Fatal(err)
		}
		if since, err := sum.Sub(one); err != nil || !maps.Equal(dense(since), before) || len(since.Names) < names {
			t.Errorf("without run %d: %+v, %v", i, since, err)
		}
	}
	p, err := sum.Profile(tables)
	if err != nil || p.Damaged != nil {
		t.Fatal(err, p.Damaged)
	}
	got := ""
	for _, v := range p.Packages[0].Functions[0].Events[0].Values {
		got += fmt.Sprint(v.Name, " ", v.Count, " ")
	}
	if want := "m.A 13 m.B 9 m.C 6 ? 5 "; got != want {
		t.Errorf("targets %s, want %s", got, want)
	}
}

// TestNoNames has calls counted by their targets, whose names a tally of an archive of an earlier goprofinstr does not have. They
// are counted as calls of one target, and the function keeps its paths.
func TestNoNames(t *testing.T) {
	run := called(1, 0x401000, "", "")
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

// TestSampling adds up tallies of sampled runs, and takes one away again. The account must say how many ticks and samples there
// were, and nothing if that is not known of one of them.
func TestSampling(t *testing.T) {
	tables := new(profile.Tables)
	run := func(seed uint64) *Tally {
		one, err := OfAny(profiletest.NestedRun(seed).Data(), tables)
		if err != nil {
			t.Fatal(err)
		}
		return one
	}
	account := func(x *Tally) string {
		p, err := x.Profile(tables)
		if err != nil {
			t.Fatal(err)
		}
		return p.Account()
	}
	one, sum := run(1), new(Tally)
	if one.Sampling == nil || one.Sampling.Ticks != 2000 || one.Sampling.CPU != 20*time.Second {
		t.Fatalf("%+v", one.Sampling)
	}
	for seed := range uint64(3) {
		if err := sum.Add(run(seed)); err != nil {
			t.Fatal(err)
		}
	}
	if got := account(sum); !strings.Contains(got, "at 6,000 ticks in 1m0s of CPU time, which took 0.1% of it") {
		t.Errorf("of three runs: %s", got)
	}
	since, err := sum.Sub(one)
	if err != nil {
		t.Fatal(err)
	}
	if got := account(since); !strings.Contains(got, "at 4,000 ticks in 40s of CPU time") {
		t.Errorf("of two: %s", got)
	}
	unknown := run(4)
	unknown.Sampling = nil // as in an archive of an earlier goprofinstr
	for _, x := range []*Tally{sum, unknown} {
		both := *unknown
		if err := both.Add(x); err != nil {
			t.Fatal(err)
		}
		if got := account(&both); got != "" {
			t.Errorf("where it is not known: %s", got)
		}
	}
}
