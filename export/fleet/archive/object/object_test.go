package object

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goprofinstr/goprofinstr/export/fleet/tally"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/rt/rundata"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden file anew")

func tableSum(table string) []byte {
	sum := sha256.Sum256([]byte(table))
	return sum[:]
}

// sampleOf1 has something of everything that version 1 of the format had.
func sampleOf1() *Object {
	return &Object{
		Service: "shop", Final: true,
		Runs: []Run{{Host: "web1", Name: "4711.1767225600000000001", Start: time.Unix(1767225600, 1).UTC(), Process: true, Labels: "zone=eu"}},
		Parts: []Part{{Labels: "zone=eu", Counts: &tally.Tally{Sampled: true, Lost: 3, Packages: []rundata.Sparse{
			{Path: "a", Table: tableSum("a"), Size: 1000, Counters: []rundata.Entry{{At: 0, N: 1}, {At: 7, N: 300}, {At: 999, N: math.MaxUint64}},
				Hashes: [][]rundata.Entry{nil, {{At: 5, N: 2}, {At: math.MaxUint64 - 1, N: 1}}, nil, {{At: 0, N: 9}}}},
			{Path: "b/c", Table: tableSum("c"), Size: 4, Hashes: [][]rundata.Entry{}},
		}}}},
	}
}

// sample has something of everything.
func sample() *Object {
	o := sampleOf3()
	o.Parts[0].Counts.Packages[0].Uncounted = []rundata.Entry{{At: 7, N: 1}, {At: 1000, N: 3}}
	return o
}

// sampleOf3 has something of everything that version 3 of the format had.
func sampleOf3() *Object {
	o := sampleOf2()
	o.Parts[0].Counts.Sampling.Off = 0.25
	return o
}

// sampleOf2 has something of everything that version 2 of the format had.
func sampleOf2() *Object {
	o := sampleOf1()
	o.Root = "/src/shop"
	t := o.Parts[0].Counts
	t.Names = make(map[uint64]string)
	hash := &t.Packages[0].Hashes[2]
	for _, name := range []string{"m.(*T).M", "m.F", "?"} {
		t.Names[profile.NumberOf(name)] = name
		if name != "?" {
			*hash = append(*hash, rundata.Entry{At: profile.NumberOf(name), N: uint64(len(name))})
		}
	}
	*hash = append(*hash, rundata.Entry{At: profile.Unnamed, N: 1}) // earlier versions had "?" among the names for them
	rundata.SortEntries(t.Packages[0].Hashes[2])
	t.Sampling = &tally.Sampling{
		Ticks: 1008, Samples: 64512, Counted: 9310, CPU: 10 * time.Second, Cost: 20 * time.Millisecond, Contexts: 100, Cut: 2, Folded: 3,
		Period: 10 * time.Millisecond, Burst: 64, Left: 5, Specs: []string{"H[P256]2048", "P256"},
	}
	return o
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
	other.Parts[0].Counts.Packages[0].Counters = other.Parts[0].Counts.Packages[0].Counters[:2]
	encode(t, other)
	elsewhere := sample()
	elsewhere.Runs[0].Name, elsewhere.Runs[0].Labels, elsewhere.Parts[0].Labels = "1", "zone=ap", "zone=ap"
	elsewhere.Root = "/src/a"
	encode(t, elsewhere)
	both := &Object{Service: "shop"}
	if err := errors.Join(both.Add(one), both.Add(other)); err != nil {
		t.Fatal(err)
	}
	if both.Final || both.Runs[0].Host != "web0" || both.Find(one.Runs[0]) == nil || both.Find(Run{Host: "web2"}) != nil || !errors.Is(both.Add(one), ErrTwice) {
		t.Errorf("sum %+v", both)
	}
	if err := both.Add(elsewhere); err != nil || len(both.Parts) != 2 || both.Parts[0].Labels != "zone=ap" || both.Root != "/src/a" {
		t.Errorf("%v, parts %+v", err, both.Parts)
	}
	for _, o := range []*Object{one, both, {}} {
		got, err := Decode(encode(t, o))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(o, got); diff != "" {
			t.Errorf("(-encoded +decoded):\n%s", diff)
		}
	}
}

// TestUncounted adds the tables of a run to what a process has counted, in either order, with its labels and with others. The
// functions that nothing could count in the process are known afterwards as before.
func TestUncounted(t *testing.T) {
	for _, label := range []string{"zone=eu", "zone=ap"} {
		process, only := sample(), sample()
		only.Runs[0].Name, only.Runs[0].Process, only.Runs[0].Labels = "tables.1.1", false, label
		only.Parts[0].Labels, only.Parts[0].Counts.Packages[0].Uncounted = label, nil
		for _, p := range only.Parts[0].Counts.Packages {
			clear(p.Counters) // so that sums do not have more than 64 bits
		}
		for _, list := range [][]*Object{{process, only}, {only, process}, {process}} {
			var sum Object
			for _, o := range list {
				if err := sum.Add(o); err != nil {
					t.Fatal(err)
				}
			}
			total, err := sum.Total()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(process.Parts[0].Counts.Packages[0].Uncounted, total.Packages[0].Uncounted); diff != "" {
				t.Errorf("%s, %d objects (-process +total):\n%s", label, len(list), diff)
			}
		}
	}
}

// TestGolden decodes the objects that each version of the format has written.
func TestGolden(t *testing.T) {
	for of, want := range map[int]*Object{1: sampleOf1(), 2: sampleOf2(), 3: sampleOf3(), 4: sample()} {
		name := filepath.Join("testdata", fmt.Sprintf("version%d.counts", of))
		data := encode(t, want)
		if *update && of == Version {
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
		if diff := cmp.Diff(want, got); diff != "" { // also of the run's sum: a run that is put again is known
			t.Errorf("version %d (-want +got):\n%s", of, diff)
		}
		if of == Version && !bytes.Equal(golden, data) {
			t.Errorf("version %d is encoded in another way than it was", Version)
		}
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
		o.Parts[0].Counts = counts(r, n)
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
	for _, other := range []byte{0, Version + 1} {
		changed[len(magic)] = other
		if _, err := Decode(seal(changed)); !errors.Is(err, ErrVersion) {
			t.Errorf("version %d: %v", other, err)
		}
	}
}

// TestLies has objects that are whole and promise what they do not have: it costs no memory.
func TestLies(t *testing.T) {
	head := append([]byte(magic), Oldest, 0, 0, 0) // without service and labels
	now := append([]byte(magic), Version, 0, 0, 0) // without service and root
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
	run := slices.Concat([]byte{1, 'h', 1, 'n'}, make([]byte, 8), []byte{0, 1}, make([]byte, sumLen)) // of part 1
	for name, parts := range map[string][][]byte{
		"parts":          {many},
		"labels":         {{1}, many},
		"labels twice":   {{2, 1, 'a', 1, 'a', 0}, {0, 0, 0, 0, 0, 0, 0, 0}},
		"part":           {{1, 0, 1}, run, {0, 0, 0, 0}},
		"flags":          {{1, 0, 0}, {8, 0, 0, 0}},
		"no functions":   {{1, 0, 0}, {4, 0}, pack, {9, 0, 0, 0, 0}},
		"function":       {{1, 0, 0}, {4, 0}, pack, {9, 0, 0, 0, 1, 9, 1}},
		"only how":       {{1, 0, 0}, {2}, make([]byte, 13), {0, 0, 0}},
		"off":            {{1, 0, 0}, {3}, make([]byte, 11), many, {0, 0, 0, 0}},
		"specifications": {{1, 0, 0}, {3}, make([]byte, 12), many},
		"names":          {{1, 0, 0}, {0}, many},
		"names twice":    {{1, 0, 0}, {0, 2, 1, 'x', 1, 'x', 0, 0}},
	} {
		data := append(bytes.Join(append([][]byte{now}, parts...), nil), make([]byte, sumLen)...)
		if _, err := Decode(seal(data)); err == nil || strings.Contains(err.Error(), "checksum") || strings.Contains(err.Error(), "no object") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	for _, parts := range [][][]byte{{head, {0}, pack, {9, 0, 0, 0}}, {now, {1, 0, 0}, {0, 0}, pack, {9, 0, 0, 0}}} {
		fine := append(bytes.Join(parts, nil), make([]byte, sumLen)...)
		if _, err := Decode(seal(fine)); err != nil {
			t.Errorf("what the others are made of: %v", err)
		}
	}
}

// TestRefused encodes what Decode would refuse.
func TestRefused(t *testing.T) {
	long, twice, labels, name := sample(), sample(), sample(), sample()
	long.Service = strings.Repeat("x", mostText+1)
	twice.Parts[0].Counts.Packages[1].Path = "a"
	labels.Parts = append(labels.Parts, labels.Parts[0])
	name.Parts[0].Counts.Names[7] = "m.F"
	for _, o := range []*Object{long, twice, labels, name} {
		if _, err := Encode(o); err == nil {
			t.Error("no error")
		}
	}
}

// FuzzDecode decodes anything, with a checksum that is right: what can be decoded has no other encoding.
func FuzzDecode(f *testing.F) {
	golden, err := os.ReadFile(filepath.Join("testdata", "version1.counts"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(golden)
	for _, o := range []*Object{sample(), {}} {
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
		if data[len(magic)] != Version {
			return // it is encoded as of this version
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
