package rundata

import (
	"reflect"
	"strings"
	"testing"

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
