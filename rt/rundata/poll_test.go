package rundata

import (
	"encoding/binary"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/goprofinstr/goprofinstr/rt/runfile"
)

// recordsOf returns where the records of a run file begin.
func recordsOf(b []byte) (list []uint64) {
	word := func(off uint64) uint64 { return binary.LittleEndian.Uint64(b[off:]) }
	for off := word(16); off < uint64(len(b)); off += word(off + 16) {
		list = append(list, off)
	}
	return list
}

// TestPollUnfinished has records of a file finished in any order, and holds what is polled against what is read, which begins
// anew each time.
func TestPollUnfinished(t *testing.T) {
	whole := withShards(v1(t))
	offsets := recordsOf(whole)
	if len(offsets) < 5 {
		t.Fatalf("%d records", len(offsets))
	}
	name := filepath.Join(t.TempDir(), "run")
	r := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		b := append([]byte(nil), whole...)
		for _, off := range offsets {
			binary.LittleEndian.PutUint64(b[off:], 0)
		}
		var p Poller
		for _, i := range r.Perm(len(offsets)) {
			binary.LittleEndian.PutUint64(b[offsets[i]:], runfile.RecordMagic)
			if err := os.WriteFile(name, b, 0o600); err != nil {
				t.Fatal(err)
			}
			comparePolled(t, &p, name)
		}
	}
}

func comparePolled(t *testing.T, p *Poller, name string) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := p.Poll(f); err != nil {
		t.Fatal(err)
	}
	run, err := ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	want, got := make(map[string]*Package), make(map[string]*Package)
	for _, pkg := range run.Packages {
		want[pkg.Path] = pkg
	}
	for i := range p.Packages {
		got[p.Packages[i].Path] = p.Packages[i].Dense()
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("(-read +polled)\n%s", diff)
	}
}
