package rundata

import (
	"encoding/binary"
	"reflect"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/rt/runfile"
)

// streamPage is the page of the record that withStream appends.
const streamPage = 6

// strataAddress is where stratum 0 is in these files, and shardBase where shards begin: two pages below.
const (
	strataAddress = 0xd01010
	shardBase     = 0xcff000
)

// withStream appends four strata with rate 10, which begin 16 bytes behind the beginning of their region, and a shard with
// strata of another thread.
func withStream(b []byte) []byte {
	const spec = "H[P10]4"
	b = appendRecord(b, 2, runfile.RecordMagic, runfile.KindStream, 2*page, page, page, 10, 2, strataAddress, uint64(len(spec)), 0, 0)
	at := streamPage * page
	copy(b[at+streamSpec*8:], spec)
	put(b, streamPage, page/8-1, strataAddress-16)
	for i, left := range []uint32{0, 1, 10, 7} {
		binary.LittleEndian.PutUint32(b[at+page+16+4*i:], left)
	}
	b = appendRecord(b, 4, runfile.RecordMagic, runfile.KindShard, 4*page, page, 3*page, shardBase)
	for i, left := range []uint32{1<<32 - 1, 3, 0, 10} {
		binary.LittleEndian.PutUint32(b[at+2*page+page+2*page+16+4*i:], left)
	}
	return b
}

func TestStream(t *testing.T) {
	run, err := read(withStream(v1(t)))
	if err != nil {
		t.Fatal(err)
	}
	want := &Stream{Spec: "H[P10]4", Rate: 10, Bits: 2, Begun: []uint64{0, 2, 1, 2}, Since: []uint64{0, 9 + 7, 0, 3}}
	if !reflect.DeepEqual(run.Stream, want) {
		t.Errorf("got %+v\nwant %+v", run.Stream, want)
	}
	// Two first messages, three others, and what came since.
	if got := run.Stream.Events(1, 5); got != 2+30+16 {
		t.Errorf("%d events, want 48", got)
	}
	// The process was killed when one of two threads had begun a stratum and not counted its message.
	if got := run.Stream.Events(1, 1); got != 1+16 {
		t.Errorf("%d events, want 17", got)
	}
}

func TestStreamErrors(t *testing.T) {
	for _, test := range []struct {
		page, word int
		value      uint64
		want       string
	}{
		{streamPage, streamBits, 60, "2^60 strata"},
		{streamPage, streamBits, 15, "2^15 strata at 16 in a region of 4096 bytes"},
		{streamPage, streamRate, 1 << 40, "a stream with rate 1099511627776"},
		{streamPage, streamSpecLen, 1 << 20, "a specification of 1048576 bytes"},
		{streamPage, streamSpecLen, 1<<64 - 8, "a specification of"},
		{streamPage, streamAddress, 5, "2^2 strata at"},
		{streamPage + 1, 2, 11, "11 events up to the next message of stratum 0, of 10"},
	} {
		b := withStream(v1(t))
		put(b, test.page, test.word, test.value)
		if _, err := read(b); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("word %d: error %v, want %q", test.word, err, test.want)
		}
	}
}
