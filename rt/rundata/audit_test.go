package rundata

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/rt/runfile"
)

// auditFile writes a run file with an audit record of three pages, and returns the words of it.
func auditFile(t *testing.T, versions, slots uint64, names string) (name string, change func(word int, value uint64)) {
	t.Helper()
	b := make([]byte, 0, 4*runfile.MinPage)
	b = appendWordsAt(b, map[int]uint64{headerMagic: runfile.RunMagic, headerVersion: runfile.Version, headerPage: runfile.MinPage, headerPid: 7}, runfile.MinPage)
	b = appendWordsAt(b, map[int]uint64{
		headMagic: runfile.RecordMagic, headKind: runfile.KindAudit, headSize: 2 * runfile.MinPage, headRegion: runfile.MinPage, headRegionSize: runfile.MinPage,
		auditVersions: versions, auditNamesLen: uint64(len(names)), auditSlots: slots,
		auditTicks1: 2000, auditNanos1: 1000, auditLeast: 20,
	}, 2*runfile.MinPage)
	copy(b[runfile.MinPage+auditNames*8:], names)
	name = filepath.Join(t.TempDir(), "run.7.1.gpi")
	write := func() {
		if err := os.WriteFile(name, b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write()
	return name, func(word int, value uint64) {
		copy(b[runfile.MinPage+word*8:], appendWordsAt(nil, map[int]uint64{0: value}, 8))
		write()
	}
}

func appendWordsAt(b []byte, words map[int]uint64, size int) []byte {
	page := make([]byte, size)
	for i, w := range words {
		for j := range 8 {
			page[i*8+j] = byte(w >> (8 * j))
		}
	}
	return append(b, page...)
}

// slot is timing n, with a ring of four.
func slot(n, version, ticks uint64) uint64 { return (n/4+1)<<56 | version<<52 | ticks }

// TestFollow reads a ring of four while it is written.
func TestFollow(t *testing.T) {
	name, change := auditFile(t, 2, 4, "p.F\x00F\x00g\x00")
	f, err := Follow(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Poll(); err != nil || len(f.Audits) != 1 || f.Pid != 7 {
		t.Fatalf("%v, %d audits of %d", err, len(f.Audits), f.Pid)
	}
	a := f.Audits[0]
	if a.Nanosecond != 2 || a.Least != 10 {
		t.Errorf("%v ticks in a ns, at least %v", a.Nanosecond, a.Least)
	}
	const ring = runfile.MinPage / 8
	check := func(ended bool, want []uint64, lost uint64) {
		t.Helper()
		var got []uint64
		if err := a.Drain(ended, func(version int, ticks uint64) { got = append(got, uint64(version)*1000+ticks) }); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) || a.Lost != lost {
			t.Errorf("timings %v, %d lost; want %v and %d", got, a.Lost, want, lost)
		}
	}
	check(false, nil, 0)
	change(ring+0, slot(0, 0, 10))
	change(ring+2, slot(2, 1, 12)) // the second one is still being written
	change(auditTaken, 3)
	check(false, []uint64{10}, 0)
	change(ring+1, slot(1, 1, 11))
	check(false, []uint64{1011, 1012}, 0)
	// Timings 3 to 8: 3 and 4 are overwritten, and 6 has been begun by a process that was killed.
	for n := uint64(3); n < 9; n++ {
		if n != 6 {
			change(ring+int(n%4), slot(n, 0, n))
		}
	}
	change(auditTaken, 9)
	check(false, []uint64{5}, 2)
	check(true, []uint64{7, 8}, 3)
}

func TestFollowBad(t *testing.T) {
	for _, test := range []struct {
		versions, slots uint64
		names, want     string
	}{
		{1, 4, "p.F\x00F\x00", "1 versions"},
		{99, 4, "p.F\x00F\x00", "99 versions"},
		{2, 4, "p.F\x00F\x00", "1 names of 2 versions"},
		{2, 1 << 40, "p.F\x00F\x00g\x00", "timings in a region"},
		{2, 0, "p.F\x00F\x00g\x00", "0 timings in a region"},
	} {
		name, _ := auditFile(t, test.versions, test.slots, test.names)
		f, err := Follow(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := f.Poll(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %s", err, test.want)
		}
		if _, err := ReadFile(name); err != nil { // others than Follow take no notice
			t.Error(err)
		}
	}
}
