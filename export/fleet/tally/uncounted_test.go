package tally

import (
	"crypto/sha256"
	"path/filepath"
	"testing"

	"github.com/goprofinstr/goprofinstr/export/internal/profiletest"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/rt/copies"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
)

// TestUncounted has a function that no run counts, and one that one of two runs counts. Runs have ended, or are polled. Those
// without samples are as merge writes them of an archive.
func TestUncounted(t *testing.T) {
	const words, must = "example.com/m/lex.Words", "example.com/m/lex.Must"
	tables := new(profile.Tables)
	tallyOf := func(live, sampled bool, uncounted ...string) *Tally {
		r := profiletest.NewRun(1, 0, nil, profiletest.Copied(profiletest.Lex()))
		if sampled {
			r = copied(400)
		}
		for _, name := range uncounted {
			r.Uncounted(name, copies.NoCode)
		}
		var poller rundata.Poller
		now, _, err := OfLive(r.Data(), tables)
		if live {
			poll(t, &poller, r, filepath.Join(t.TempDir(), "run.1.1.gpi"))
			now, _, err = OfPoller(&poller, profile.NewLive(tables))
		}
		if err != nil {
			t.Fatal(err)
		}
		return now
	}
	for i := range 4 {
		live, sampled := i&1 != 0, i&2 != 0
		first, second := tallyOf(live, sampled, words, must), tallyOf(live, sampled, must)
		since, err := first.Sub(new(Tally))
		if err != nil {
			t.Fatal(err)
		}
		sum := new(Tally)
		kept := since.WithSums(func(table []byte) [sha256.Size]byte { return sha256.Sum256(table) })
		for _, one := range []*Tally{kept.WithTables(first), second} {
			if err := sum.Add(one); err != nil {
				t.Fatal(err)
			}
		}
		both := map[string]bool{words: true, must: true}
		for x, want := range map[*Tally]map[string]bool{first: both, since: both, sum: {must: true}} {
			p, err := x.Profile(tables)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range p.Functions() {
				if why := f.Uncounted; (why == "the program has no code of it") != want[f.Table.Name] {
					t.Errorf("live %t, sampled %t: nothing counts %s: %q", live, sampled, f.Table.Name, why)
				}
			}
		}
	}
}
