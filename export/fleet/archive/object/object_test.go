package object

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"flag"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/goprofinstr/goprofinstr/export/fleet/tally"
	"github.com/goprofinstr/goprofinstr/rt/rundata"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden file anew")

func tableSum(table string) []byte {
	sum := sha256.Sum256([]byte(table))
	return sum[:]
}

// sample has something of everything.
func sample() *Object {
	return &Object{
		Service: "shop", Attributes: "zone=eu", Final: true,
		Runs: []Run{{Host: "web1", Name: "4711.1767225600000000001", Start: time.Unix(1767225600, 1).UTC(), Process: true}},
		Counts: &tally.Tally{Sampled: true, Lost: 3, Packages: []rundata.Sparse{
			{Path: "a", Table: tableSum("a"), Size: 1000, Counters: []rundata.Entry{{At: 0, N: 1}, {At: 7, N: 300}, {At: 999, N: math.MaxUint64}},
				Hashes: [][]rundata.Entry{nil, {{At: 5, N: 2}, {At: math.MaxUint64 - 1, N: 1}}, nil, {{At: 0, N: 9}}}},
			{Path: "b/c", Table: tableSum("c"), Size: 4, Hashes: [][]rundata.Entry{}},
		}},
	}
}

func encode(t *testing.T, o *Object) []byte {
	data, err := Encode(o)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestRoundTrip encodes objects of one run and of several.
func TestRoundTrip(t *testing.T) {
	one := sample()
	encode(t, one) // sets the sum
	other := sample()
	other.Runs[0].Host, other.Final = "web0", false
	other.Counts.Packages[0].Counters = other.Counts.Packages[0].Counters[:2]
	encode(t, other)
	both := &Object{Service: "shop"}
	if err := errors.Join(both.Add(one), both.Add(other)); err != nil {
		t.Fatal(err)
	}
	if both.Final || both.Runs[0].Host != "web0" || both.Find(one.Runs[0]) == nil || both.Find(Run{Host: "web2"}) != nil || !errors.Is(both.Add(one), ErrTwice) {
		t.Errorf("sum %+v", both)
	}
	here, there := &Object{Service: "shop", Root: "/src/m", Counts: &tally.Tally{}}, &Object{Root: "/src/a", Counts: &tally.Tally{}}
	if err := here.Add(there); err != nil || here.Root != "/src/a" {
		t.Errorf("root %q, %v", here.Root, err)
	}
	for _, o := range []*Object{one, both, here, {Counts: &tally.Tally{}}} {
		got, err := Decode(encode(t, o))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(o, got); diff != "" {
			t.Errorf("(-encoded +decoded):\n%s", diff)
		}
	}
}

// TestGolden decodes the objects that version 1 of the format has written: without a root they are as they were before there were any.
func TestGolden(t *testing.T) {
	rooted := sample()
	rooted.Root = "/src/m"
	testGolden(t, "version1.counts", sample())
	testGolden(t, "version1root.counts", rooted)
}

func testGolden(t *testing.T, name string, want *Object) {
	name = filepath.Join("testdata", name)
	data := encode(t, want)
	if *update {
		if err := os.WriteFile(name, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	golden, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Decode(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !bytes.Equal(golden, data) {
		t.Errorf("version %d is encoded in another way than it was", version)
	}
}

// counts returns a tally of n entries, one counter in three of those that there are, with counts of all sizes.
func counts(r *rand.Rand, n int) *tally.Tally {
	p := rundata.Sparse{Path: "example.com/shop/cart", Table: tableSum("cart"), Size: 6 * n}
	at := uint64(0)
	for range n {
		p.Counters = append(p.Counters, rundata.Entry{At: at, N: 1 + uint64(r.ExpFloat64()*1000)})
		at += 1 + r.Uint64N(5)
	}
	return &tally.Tally{Packages: []rundata.Sparse{p}}
}

// TestSize holds objects against lists of entries as they are in memory. A run has from a hundred entries up.
func TestSize(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{100, 1000, 10000} {
		o := sample()
		o.Counts = counts(r, n)
		size, list := len(encode(t, o)), 16*n
		t.Logf("%d entries: %d bytes, %.2f of the list", n, size, float64(size)/float64(list))
		if 2*size > list {
			t.Errorf("%d entries in %d bytes", n, size)
		}
	}
}

// seal sets the checksum, and the sum of an only run, so that what is changed is looked at.
func seal(data []byte) []byte {
	rest := len(data) - sumLen
	sum := sumOf(data[:rest])
	copy(data[rest:], sum[:])
	return data
}

// TestDamaged changes every bit of an object, and cuts it everywhere.
func TestDamaged(t *testing.T) {
	data := encode(t, sample())
	refused := func(data []byte, what string, i int) {
		if _, err := Decode(data); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s at %d: error %v", what, i, err)
		}
	}
	for i := range data {
		for bit := range 8 {
			changed := bytes.Clone(data)
			changed[i] ^= 1 << bit
			refused(changed, "bit", i)
		}
		refused(data[:i], "cut", i)
	}
	changed := bytes.Clone(data)
	changed[len(magic)] = 2
	if _, err := Decode(seal(changed)); !errors.Is(err, ErrVersion) {
		t.Errorf("version 2: %v", err)
	}
}

// TestLies has objects that are whole and promise what they do not have: it costs no memory.
func TestLies(t *testing.T) {
	head := append([]byte(magic), version, 0, 0, 0) // without service and attributes
	many := binary.AppendUvarint(nil, math.MaxUint64)
	pack := bytes.Join([][]byte{{0, 1, 1, 'a'}, tableSum("a")}, nil) // nothing lost, one package
	for name, parts := range map[string][][]byte{
		"runs":               {many},
		"host":               {{1}, many, make([]byte, 40)},
		"packages":           {{0, 0}, many},
		"counters":           {{0}, pack, many, {0, 0, 0}},
		"entries":            {{0}, pack, {9}, many, {0, 0}},
		"hash tables":        {{0}, pack, {9, 0}, many, {0}},
		"used":               {{0}, pack, {9, 0, 1}, many},
		"entry out of place": {{0}, pack, {9, 1, 9, 1, 0, 0}},
		"entry without":      {{0}, pack, {9, 1, 0, 0, 0, 0}},
		"hash out of place":  {{0}, pack, {9, 0, 1, 1, 1, 1, 1, 1}},
		"more":               {{0}, pack, {9, 0, 0, 0, 0}},
	} {
		data := append(bytes.Join(append([][]byte{head}, parts...), nil), make([]byte, sumLen)...)
		if allocs := testing.AllocsPerRun(1, func() {
			if _, err := Decode(seal(data)); err == nil || strings.Contains(err.Error(), "checksum") || strings.Contains(err.Error(), "no object") {
				t.Errorf("%s: error %v", name, err)
			}
		}); allocs > 30 {
			t.Errorf("%s: %v allocations", name, allocs)
		}
	}
	fine := append(bytes.Join([][]byte{head, {0}, pack, {9, 0, 0, 0}}, nil), make([]byte, sumLen)...)
	if _, err := Decode(seal(fine)); err != nil {
		t.Errorf("what the others are made of: %v", err)
	}
}

// TestRefused encodes what Decode would refuse.
func TestRefused(t *testing.T) {
	long, twice := sample(), sample()
	long.Attributes = strings.Repeat("x", mostText+1)
	twice.Counts.Packages[1].Path = "a"
	for _, o := range []*Object{long, twice} {
		if _, err := Encode(o); err == nil {
			t.Error("no error")
		}
	}
}

// FuzzDecode decodes anything, with a checksum that is right: what can be decoded has no other encoding.
func FuzzDecode(f *testing.F) {
	for _, o := range []*Object{sample(), {Counts: &tally.Tally{}}} {
		data, err := Encode(o)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < sumLen {
			return
		}
		data = seal(bytes.Clone(data))
		o, err := Decode(data)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("more than a line: %q", err)
			}
			return
		}
		again, err := Encode(o)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(again, data) {
			t.Errorf("%x is decoded and encoded as %x", data, again)
		}
	})
}
