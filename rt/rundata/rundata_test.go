package rundata

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/goprofinstr/goprofinstr/rt/runfile"
)

// v1 is the committed file of version 1, which must keep decoding. It has a
// header page, a package at page 1 and hash chunks at pages 3 to 5.
func v1(t testing.TB) []byte {
	b, err := os.ReadFile("testdata/v1.gpi")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func read(b []byte) (*Run, error) { return Read(bytes.NewReader(b), int64(len(b))) }

func wantV1() *Run {
	return &Run{
		Pid:   42,
		Start: time.Unix(1_700_000_000, 123_456_789),
		Lost:  3,
		Packages: []*Package{{
			Path:     "example.com/p",
			Table:    []byte("table of p"),
			Counters: []uint64{7, 0, 1 << 63},
			Hashes:   []map[uint64]uint64{{0: 5, 1 << 40: 2}, nil, {8: 4}},
		}},
	}
}

// TestVersions reads the committed files of all versions, which say the same. Later ones of version 2 may have a root.
func TestVersions(t *testing.T) {
	for name, root := range map[string]string{"testdata/v1.gpi": "", "testdata/v2.gpi": "", "testdata/v2root.gpi": "/src/m"} {
		got, err := ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		want := wantV1()
		want.Name, want.Root = name, root
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v\nwant %+v", name, got, want)
		}
	}
}

// TestRoot damages the length of the root: then there is none.
func TestRoot(t *testing.T) {
	original, err := os.ReadFile("testdata/v2root.gpi")
	if err != nil {
		t.Fatal(err)
	}
	const last = page/8 - 2 // word of the package record before its region
	room := uint64(page - 16 - 11*8 - len("example.com/p") - len("table of p"))
	for length, want := range map[uint64]int{0: 0, 4: 4, room: int(room), room + 1: 0, 1 << 40: 0, 1<<64 - 1: 0} {
		b := bytes.Clone(original)
		put(b, 1, last, length)
		got, err := read(b)
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Root) != want {
			t.Errorf("length %d: root %q", length, got.Root)
		}
	}
	var p Poller
	f, err := os.Open("testdata/v2root.gpi")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for range 2 {
		if err := p.Poll(f); err != nil || p.Run.Root != "/src/m" {
			t.Errorf("polled: root %q, %v", p.Run.Root, err)
		}
	}
}

const page = 4096

// put overwrites word i of the given page.
func put(b []byte, atPage, i int, v uint64) {
	binary.LittleEndian.PutUint64(b[atPage*page+i*8:], v)
}

func TestIncomplete(t *testing.T) {
	noChunk := wantV1()
	noChunk.Packages[0].Hashes[2] = nil
	noPackage := wantV1()
	noPackage.Packages = nil
	for _, test := range []struct {
		name   string
		damage func(b []byte) []byte
		want   *Run
	}{
		{"cut off in the last chunk", func(b []byte) []byte { return b[:len(b)-1] }, noChunk},
		{"cut off before the last chunk", func(b []byte) []byte { return b[:5*page] }, noChunk},
		{"cut off in the package", func(b []byte) []byte { return b[:2*page] }, noPackage},
		{"header only", func(b []byte) []byte { return b[:page] }, noPackage},
		{"chunk half-made", func(b []byte) []byte { put(b, 5, headMagic, 0); return b }, noChunk},
		{"package half-made, chunks follow", func(b []byte) []byte {
			put(b, 1, headMagic, 0)
			put(b, 2, 0, 12345) // in its region
			return b
		}, noPackage},
		{"magic half-written, from the front", func(b []byte) []byte { put(b, 5, headMagic, runfile.RecordMagic&0xffffff); return b }, noChunk},
		{"magic half-written, but for a byte", func(b []byte) []byte { put(b, 5, headMagic, runfile.RecordMagic&^0xff); return b }, noChunk},
		{"a hole before the last chunk", func(b []byte) []byte {
			return append(append(bytes.Clone(b[:5*page]), make([]byte, 7*page)...), b[5*page:]...)
		}, wantV1()},
		{"a chunk of the last, uncounted entry", func(b []byte) []byte {
			put(b, 5, hashBegins+4, 0) // key 9, count 4: back to a free entry
			put(b, 5, hashBegins+5, 0)
			return b
		}, func() *Run { r := wantV1(); r.Packages[0].Hashes[2] = nil; return r }()},
	} {
		got, err := read(test.damage(v1(t)))
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
		} else if !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: got %+v", test.name, got)
		}
	}
}

// TestHashChain gives all three chunks to one Hash, as when it has grown.
func TestHashChain(t *testing.T) {
	b := v1(t)
	for p := 3; p <= 5; p++ {
		put(b, p, hashAddress, 0xc0de08)
	}
	got, err := read(b)
	if err != nil {
		t.Fatal(err)
	}
	want := []map[uint64]uint64{nil, {0: 5, 1 << 40: 2, 8: 4}, nil}
	if h := got.Packages[0].Hashes; !reflect.DeepEqual(h, want) {
		t.Errorf("%v", h)
	}
}

// TestHashOverflow has counts of a path in two chunks that are more than 64 bits hold.
func TestHashOverflow(t *testing.T) {
	b := v1(t)
	for p := 3; p <= 4; p++ {
		put(b, p, hashAddress, 0xc0de00)
		put(b, p, hashEntries, 3)
		put(b, p, hashBegins, 5)
		put(b, p, hashBegins+1, 1<<63)
	}
	const want = "of a hash table of example.com/p overflow 64 bits"
	if run, err := read(b); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%+v, %v, want %q", run, err, want)
	}
	var p Poller
	if err := poll(t, &p, b); err == nil || !strings.Contains(err.Error(), "example.com/p overflow 64 bits") {
		t.Errorf("polled: %+v, %v", p.Packages, err)
	}
}

// TestTwice has a package with two records: nobody could tell which is meant where something is of it.
func TestTwice(t *testing.T) {
	b := v1(t)
	b = append(b, b[page:3*page]...)
	const want = "package example.com/p has a record already"
	if run, err := read(b); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%+v, %v, want %q", run, err, want)
	}
	var p Poller
	for range 2 {
		if err := poll(t, &p, b); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("polled: %v, want %q", err, want)
		}
	}
}

// withShards appends a shard for the package, and one for other addresses.
func withShards(b []byte) []byte {
	put(b, 1, page/8-1, 0xc12000) // of the package's region
	for _, address := range []uint64{0xc11000, 0xc13000} {
		at := len(b) / page
		b = append(b, make([]byte, 3*page)...)
		put(b, at, headMagic, runfile.RecordMagic)
		put(b, at, headKind, runfile.KindShard)
		put(b, at, headSize, 3*page)
		put(b, at, headRegion, page)
		put(b, at, headRegionSize, 2*page)
		put(b, at, shardAddress, address)
		put(b, at+2, 1, 11)
	}
	return b
}

func TestShards(t *testing.T) {
	got, err := read(withShards(v1(t)))
	if err != nil {
		t.Fatal(err)
	}
	want := wantV1()
	want.Packages[0].Counters[1] += 11
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}

func TestArgs(t *testing.T) {
	b := v1(t)
	args := "prog\x00\x00-x=1\x00"
	put(b, 0, headerArgsLen, uint64(len(args)))
	copy(b[runfile.HeaderSize:], args)
	got, err := read(b)
	if err != nil || !reflect.DeepEqual(got.Args, []string{"prog", "", "-x=1"}) {
		t.Errorf("%q, %v", got.Args, err)
	}
}

func TestErrors(t *testing.T) {
	for _, test := range []struct {
		name          string
		page, word    int
		value         uint64
		errorContains string
	}{
		{"magic", 0, headerMagic, 1, "not a run file"},
		{"version", 0, headerVersion, 3, "version 3"},
		{"version 0", 0, headerVersion, 0, "version 0"},
		{"page size", 0, headerPage, 4097, "page size 4097"},
		{"page size huge", 0, headerPage, 1 << 40, "page size"},
		{"args", 0, headerArgsLen, 4096, "command line of 4096 bytes"},
		{"record magic", 1, headMagic, 77, "offset 0x1000: no record"},
		{"kind", 1, headKind, 99, "offset 0x1000: unknown kind 99"},
		{"record size 0", 1, headSize, 0, "offset 0x1000: size 0"},
		{"record size", 1, headSize, 4000, "offset 0x1000: size 4000"},
		{"region", 1, headRegion, 1 << 63, "offset 0x1000: region"},
		{"region size", 1, headRegionSize, 1 << 63, "offset 0x1000: region"},
		{"counters", 1, packageCounters, 513, "offset 0x1000: 513 counters"},
		{"counters overflow", 1, packageCounters, 1 << 61, "counters at"},
		{"first counter", 1, packageFirst, 4, "counters at 4"},
		{"first counter far", 1, packageFirst, 8192, "counters at 8192"},
		{"import path", 1, packagePathLen, 1 << 63, "import path of"},
		{"no import path", 1, packagePathLen, 0, "import path of 0"},
		{"path table", 1, packageTableLen, 1<<64 - 1, "path table of"},
		{"hashes", 1, packageHashes, 1 << 62, "hash tables"},
		{"entries", 4, hashEntries, 1 << 60, "offset 0x4000: 1152921504606846976 entries"},
		{"hash", 5, hashAddress, 0xc0de04, "offset 0x5000: chunk of a hash"},
	} {
		b := v1(t)
		put(b, test.page, test.word, test.value)
		run, err := read(b)
		if err == nil || !strings.Contains(err.Error(), test.errorContains) {
			t.Errorf("%s: %+v, error %v, want %q", test.name, run, err, test.errorContains)
		}
	}
}

func TestEmpty(t *testing.T) {
	for _, b := range [][]byte{nil, make([]byte, page)} {
		if _, err := read(b); !errors.Is(err, ErrEmpty) {
			t.Errorf("%d bytes: %v", len(b), err)
		}
	}
	if _, err := read([]byte("short")); err == nil {
		t.Error("a file of 5 bytes")
	}
}

// FuzzRead looks for panics and for memory that the file does not account for.
func FuzzRead(f *testing.F) {
	b := v1(f)
	f.Add(b)
	f.Add(withShards(v1(f)))
	f.Add(contextsFile(f))
	f.Add(sitesFile(f))
	f.Add(withStream(v1(f)))
	f.Add(withTests(v1(f), exampleTests(), len(exampleTests())))
	f.Add(b[:3*page])
	f.Add(b[:page])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		run, err := read(b)
		if err != nil {
			return
		}
		size := 0
		for _, p := range run.Packages {
			size += len(p.Path) + len(p.Table) + 8*len(p.Counters)
			for _, h := range p.Hashes {
				size += runfile.EntrySize * len(h)
			}
		}
		if size > len(b) {
			t.Errorf("%d bytes decoded from %d", size, len(b))
		}
	})
}
