package rundata

import (
	"encoding/binary"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
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

// poll polls a file.
func poll(t *testing.T, p *Poller, b []byte) error {
	t.Helper()
	name := filepath.Join(t.TempDir(), "run")
	if err := os.WriteFile(name, b, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return p.Poll(f)
}

// TestPollGap has an error among records that were not finished at first: those before it are not read again.
func TestPollGap(t *testing.T) {
	b := v1(t)
	for i := range 2 {
		at := len(b)
		b, _ = withCounters(t, b, 1)
		b[at+binary.Size(runfile.PackageRecord{})] = 'q' + byte(i)
	}
	offsets := recordsOf(b)
	first, second := int(offsets[len(offsets)-2])/page, int(offsets[len(offsets)-1])/page
	put(b, first, headMagic, 0)
	put(b, second, headMagic, 0)
	last := append([]byte(nil), b[page:3*page]...) // the package of v1, under the name of another
	last[binary.Size(runfile.PackageRecord{})] = 'f'
	b = append(b, last...)
	var p Poller
	if err := poll(t, &p, b); err != nil || len(p.Packages) != 2 {
		t.Fatalf("%d packages, %v", len(p.Packages), err)
	}
	put(b, first, headMagic, runfile.RecordMagic)
	put(b, second, headMagic, runfile.RecordMagic)
	put(b, second, packagePathLen, 0)
	if err := poll(t, &p, b); err == nil {
		t.Fatal("a package without an import path is read")
	}
	put(b, second, packagePathLen, 1)
	if err := poll(t, &p, b); err != nil || len(p.Packages) != 4 {
		t.Errorf("%d packages, %v", len(p.Packages), err)
	}
}

// TestPollHuge has more counters than goprofinstr reads, in a file that is a hole for the most part.
func TestPollHuge(t *testing.T) {
	const n = mostMemory/8 + 1
	b := v1(t)
	size := uint64(page+n*8+page-1) &^ (page - 1)
	put(b, 1, headSize, size)
	put(b, 1, headRegionSize, size-page)
	put(b, 1, packageCounters, n)
	put(b, 1, packageFirst, 0)
	name := filepath.Join(t.TempDir(), "run")
	if err := os.WriteFile(name, b, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(name, int64(page+size)); err != nil {
		t.Skip(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var p Poller
	if err := p.Poll(f); err == nil || !strings.Contains(err.Error(), "134217729 counters: a package has at most 134217728") {
		t.Error(err)
	}
}

// withCounters appends a package of so many counters, one of which is in the middle of a page, and returns where they are.
func withCounters(t *testing.T, b []byte, n uint64) (file []byte, counters uint64) {
	t.Helper()
	const first = 1000 * 8
	region := (first + 8*n + page - 1) &^ (page - 1)
	r := runfile.PackageRecord{
		Head: runfile.Head{
			Magic: runfile.RecordMagic, Kind: runfile.KindPackage, Size: page + region, Region: page, RegionSize: region,
		},
		First: first, Counters: n, PathLen: 1,
	}
	head, err := binary.Append(nil, binary.LittleEndian, &r)
	if err != nil {
		t.Fatal(err)
	}
	head = append(head, 'q')
	at := len(b)
	b = append(b, make([]byte, page+region)...)
	copy(b[at:], head)
	return b, uint64(at) + page + first
}

// TestPollQuick counts in random counters of an array of many pages, and holds what is polled against what is read. A
// quick poll has the counts in pages that were in use when all were looked at.
func TestPollQuick(t *testing.T) {
	const n = 10_000
	name := filepath.Join(t.TempDir(), "run")
	b, at := withCounters(t, withShards(v1(t)), n)
	write := func() {
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	count := func(i uint64) { b[at+8*i]++ }
	r := rand.New(rand.NewPCG(1, 2))
	var p Poller
	for range 20 {
		for range r.IntN(6) {
			count(r.Uint64N(n / 2))
		}
		write()
		p.Quick = false
		comparePolled(t, &p, name)
		for _, e := range p.Packages[1].Counters {
			count(e.At) // in a page that is in use
		}
		write()
		p.Quick = true
		comparePolled(t, &p, name)
	}
	const unused = n - 1000 // pages behind all others
	count(unused)
	write()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, quick := range []bool{true, false} {
		if p.Quick = quick; p.Poll(f) != nil || Find(p.Packages[1].Counters, unused) == 0 != quick {
			t.Errorf("quick %t: a page that was not in use has %v", quick, Find(p.Packages[1].Counters, unused))
		}
	}
}
