package rundata

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/goprofinstr/goprofinstr/rt/event"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
)

// namesPage is the page of the record that withNames appends.
const namesPage = 6

// withNames appends a record of three names, of which the second is half-made, and the end behind the third says used.
func withNames(b []byte, used uint64) []byte {
	b = appendRecord(b, 1, runfile.RecordMagic, runfile.KindNames, page, uint64(namesBegin)*8, uint64(page-namesBegin*8), used)
	entries := b[namesPage*page+namesBegin*8:]
	word := func(i int, v uint64) { put(b, namesPage, namesBegin+i, v) }
	word(0, 0x401000)
	word(1, 11|event.ByValue<<32)
	copy(entries[16:], "p.(*T).Call")
	word(5, 3)
	copy(entries[48:], "p.F")
	word(7, 0x402000)
	word(8, 3)
	copy(entries[72:], "p.G")
	return b
}

func TestNames(t *testing.T) {
	end := uint64(namesBegin*8 + 80)
	for _, test := range []struct {
		used uint64
		want map[uint64]Name
	}{
		{end, map[uint64]Name{0x401000: {"p.(*T).Call", true}, 0x402000: {"p.G", false}}},
		{end - 8, map[uint64]Name{0x401000: {"p.(*T).Call", true}}}, // the last is not whole
		{1 << 40, map[uint64]Name{0x401000: {"p.(*T).Call", true}, 0x402000: {"p.G", false}}},
		{uint64(namesBegin) * 8, map[uint64]Name{}},
	} {
		run, err := read(withNames(v1(t), test.used))
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(run.Names, test.want) {
			t.Errorf("up to %d: got %v, want %v", test.used, run.Names, test.want)
		}
	}
	if _, err := read(withNames(v1(t), 8)); err == nil || !strings.Contains(err.Error(), "offset 0x6000: names at 48, which end at 8") {
		t.Errorf("names that end before they begin: %v", err)
	}
}

// TestEncode reads what Encode has made of a run, all at once and as a Poller does.
func TestEncode(t *testing.T) {
	want := &Run{
		Pid: 7, Start: time.Unix(1767225600, 5), Args: []string{"/bin/x", "", "a b"}, Exit: ExitOther, Lost: 3,
		Service: "shop", Attributes: "zone=eu",
		Names: map[uint64]Name{1: {Text: "m.F"}, 2: {Text: "m.T.M", ByValue: true}, 3: {Text: "12345678"}},
		Packages: []*Package{
			{Path: "a", Table: []byte("table"), Counters: make([]uint64, 1000), Hashes: []map[uint64]uint64{nil, {5: 6, 0: 1 << 63}, {1: 1}}},
			{Path: "b", Table: []byte{}, Counters: []uint64{}, Hashes: []map[uint64]uint64{}},
		},
	}
	want.Packages[0].Counters[999] = 9
	want.Uncounted = []Uncounted{{PathAt{want.Packages[0], -1, 10}, 2}, {PathAt{want.Packages[0], 2, 0}, 1}}
	data, addresses := Encode(want)
	if len(addresses) != 2 || addresses[want.Packages[0]] == addresses[want.Packages[1]] {
		t.Errorf("addresses %v", addresses)
	}
	got, err := Read(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-encoded +read):\n%s", diff)
	}
	name := filepath.Join(t.TempDir(), "run.7.5.gpi")
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var p Poller
	for range 2 {
		if err := p.Poll(f); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want.Names, p.Run.Names); diff != "" || p.Run.Service != "shop" {
			t.Errorf("names (-encoded +polled):\n%s", diff)
		}
		if u := p.Run.Uncounted; len(u) != 2 || u[0].Package.Path != "a" || u[0].Number != 10 || u[0].Reason != 2 || u[1].Hash != 2 {
			t.Errorf("not counted, as polled: %+v", u)
		}
		if diff := cmp.Diff(want.Packages[0].Sparse(), p.Packages[0], cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("package (-encoded +polled):\n%s", diff)
		}
	}
}

// TestEncodeArgs encodes a command line that is longer than a page, as other systems have them: it is cut off.
func TestEncodeArgs(t *testing.T) {
	long := strings.Repeat("x", 3*page)
	data, _ := Encode(&Run{Start: time.Unix(1, 0), Args: []string{"prog", long}, Exit: ExitMain})
	got, err := read(data)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Args) != 2 || got.Args[0] != "prog" || got.Args[1] == "" || !strings.HasPrefix(long, got.Args[1]) {
		t.Errorf("%d arguments", len(got.Args))
	}
	if got.Exit != ExitMain || got.Identity != 0 {
		t.Errorf("exit %d, identity %#x", got.Exit, got.Identity)
	}
}
