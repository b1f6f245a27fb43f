package rundata

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"flag"
	"io"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/sampler"
	"github.com/goprofinstr/goprofinstr/sampler/pcct"
)

var update = flag.Bool("update", false, "write testdata/contexts.gpi.gz anew: only while no release has written files like it")

// address is where counter 0 of the package of v1 is in these files, hash where its first Hash is.
const (
	address = 0xc12000
	hash    = 0xc0de00
)

// A tree is a context tree with its memory.
type tree struct {
	pcct.Tree
	chunks [][]uint64
}

func newTree(chunks int) *tree {
	t := new(tree)
	for range chunks {
		t.chunks = append(t.chunks, make([]uint64, pcct.ChunkWords))
		t.Feed(uintptr(unsafe.Pointer(&t.chunks[len(t.chunks)-1][0])))
	}
	return t
}

func (t *tree) add(node pcct.Ref, word uint32, n uint64) { *t.Word(node, word) += n }

// exampleTree has a main function that was at work, a context with a label in which there were paths, and paths of nothing.
func exampleTree() *tree {
	t := newTree(1)
	main := t.Node(0, t.Location([]pcct.Frame{{Name: "main.main", File: "/src/main.go", Line: 7, StartLine: 5}}))
	t.add(main, pcct.NodeTime, 10_000_000)
	t.add(main, pcct.NodeSamples, 1)
	labels := t.Labels([]pcct.Label{{Key: "user", Value: "x"}})
	f := t.Node(labels, t.Location([]pcct.Frame{
		{Name: "example.com/p.f", File: "/src/p/p.go", StartLine: 9}, {Name: "example.com/p.g", File: "/src/p/p.go", Line: 30, StartLine: 20},
	}))
	for _, p := range []struct{ at, number uint64 }{{address, 0}, {hash + 2*runfile.HashSize + 1, 8}, {address + 16, 0}, {hash + 1<<20 + 1, 0}} {
		path := t.Path(f, p.at, p.number)
		t.add(path, pcct.PathEstimate, 3*runfile.SampleUnit)
		t.add(path, pcct.PathSamples, 2)
		t.add(path, pcct.PathTime, 4_000_000)
	}
	return t
}

// appendRecord appends a record of some pages, whose words are given.
func appendRecord(b []byte, pages int, words ...uint64) []byte {
	at := len(b) / page
	b = append(b, make([]byte, pages*page)...)
	for i, w := range words {
		put(b, at, i, w)
	}
	return b
}

// withContexts appends a sampling record, at page 6, and the tree, whose chunks begin at page 7.
func withContexts(b []byte, t *tree) []byte {
	put(b, 1, page/8-1, address)
	b = appendRecord(b, 1, runfile.RecordMagic, runfile.KindSampling, page, 0, 0,
		uint64(sampler.ArnoldGrove), 64, 17, 32, 10_000_000, 5, 1, 50_000_000, 400_000, 1000, 300, 12, 90, 40, 2, 4_000_000, 3, 1)
	for i, chunk := range t.chunks {
		const size = pcct.ChunkWords * 8
		at := len(b)
		b = appendRecord(b, size/page, runfile.RecordMagic, runfile.KindContexts, size, 0, size, uint64(i))
		for j, w := range chunk[pcct.ChunkHead:] {
			binary.LittleEndian.PutUint64(b[at+(pcct.ChunkHead+j)*8:], w)
		}
	}
	return b
}

// contextsFile returns the committed file with a context tree, which must keep decoding.
func contextsFile(t testing.TB) []byte {
	const name = "testdata/contexts.gpi.gz"
	if *update {
		var z bytes.Buffer
		w, _ := gzip.NewWriterLevel(&z, gzip.BestCompression)
		w.Write(withContexts(v1(t), exampleTree()))
		w.Close()
		if err := os.WriteFile(name, z.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return unpack(t, name)
}

// unpack returns what is in a committed file.
func unpack(t testing.TB, name string) []byte {
	t.Helper()
	z, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	r, err := gzip.NewReader(bytes.NewReader(z))
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func wantContexts() *Run {
	run := wantV1()
	run.Sampling = &Sampling{
		Policy: sampler.Policy{Kind: sampler.ArnoldGrove, Samples: 64, Stride: 17}, Burst: 32, Period: 10 * time.Millisecond,
		Ticks: 5, Overruns: 1, CPU: 50 * time.Millisecond, Cost: 400 * time.Microsecond, Ends: 1000, Samples: 300,
		Contexts: 12, Frames: 90, NewFrames: 40, Truncated: 2, PathTime: 4 * time.Millisecond, Cut: 3, Folded: 1,
	}
	p := run.Packages[0]
	run.Contexts = &Contexts{
		Bytes: 8 * pcct.ChunkWords,
		Nodes: []pcct.Node{
			{Parent: -1, Frames: []pcct.Frame{{Name: "main.main", File: "/src/main.go", Line: 7, StartLine: 5}}, Time: 10_000_000, Samples: 1},
			{Parent: -1, Labels: []pcct.Label{{Key: "user", Value: "x"}}},
			{Parent: 1, Frames: []pcct.Frame{
				{Name: "example.com/p.f", File: "/src/p/p.go", StartLine: 9}, {Name: "example.com/p.g", File: "/src/p/p.go", Line: 30, StartLine: 20},
			}},
		},
		Paths: []ContextPath{
			{Node: 2, PathAt: PathAt{p, -1, 0}, Estimate: 3 * runfile.SampleUnit, Samples: 2, Time: 4 * time.Millisecond},
			{Node: 2, PathAt: PathAt{p, 2, 8}, Estimate: 3 * runfile.SampleUnit, Samples: 2, Time: 4 * time.Millisecond},
		},
	}
	return run
}

func TestContexts(t *testing.T) {
	got, err := read(contextsFile(t))
	if err != nil {
		t.Fatal(err)
	}
	if want := wantContexts(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v %+v\nwant %+v %+v", got, got.Contexts, want, want.Contexts)
	}
}

func TestContextsIncomplete(t *testing.T) {
	noContexts := wantContexts()
	noContexts.Contexts = nil
	noPackage := wantContexts()
	noPackage.Packages, noPackage.Contexts.Paths = nil, nil
	empty := wantContexts()
	empty.Contexts = &Contexts{Bytes: 8 * pcct.ChunkWords}
	for _, test := range []struct {
		name   string
		damage func(b []byte) []byte
		want   *Run
	}{
		{"cut off", func(b []byte) []byte { return b[:len(b)-1] }, noContexts},
		{"half-made", func(b []byte) []byte { put(b, 7, headMagic, 0); clear(b[7*page+8:]); return b }, noContexts},
		{"empty", func(b []byte) []byte { clear(b[7*page+pcct.ChunkHead*8:]); return b }, empty},
		{"of a package that is not there yet", func(b []byte) []byte {
			put(b, 1, headMagic, 0)
			return b
		}, noPackage},
	} {
		got, err := read(test.damage(contextsFile(t)))
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
		} else if !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: got %+v %+v", test.name, got, got.Contexts)
		}
	}
}

// TestContextsTorn reads a tree of which the chunk that has the outer nodes is not there yet: the time that was spent is all
// there.
func TestContextsTorn(t *testing.T) {
	b := contextsFile(t)
	put(b, 7, chunkNumber, 1)
	got, err := read(b)
	if err != nil {
		t.Fatal(err)
	}
	time := func(c *Contexts) (sum uint64) {
		for _, n := range c.Nodes {
			sum += n.Time
		}
		return sum
	}
	want := wantContexts().Contexts
	if len(got.Contexts.Nodes) != len(want.Nodes) || time(got.Contexts) != time(want) {
		t.Errorf("got %+v\nwant the nodes and the time of %+v", got.Contexts, want)
	}
}

func TestContextsErrors(t *testing.T) {
	const tree = pcct.ChunkHead // where it begins
	for _, test := range []struct {
		name          string
		word          int
		value         uint64
		errorContains string
	}{
		{"chunk number", chunkNumber, pcct.MostChunks, "offset 0x7000: chunk 64 of a context tree"},
		{"chunk number huge", chunkNumber, 1 << 63, "offset 0x7000: chunk 9223372036854775808 of a context tree"},
		{"region", headRegion, page, "offset 0x7000: region"},
		{"region size", headRegionSize, 8 * page, "of a context tree, of 32768 bytes"},
		{"entry", tree, pcct.Header(9, 2, 0), "run file: context tree: entry 16: kind 9"},
	} {
		b := contextsFile(t)
		put(b, 7, test.word, test.value)
		run, err := read(b)
		if err == nil || !strings.Contains(err.Error(), test.errorContains) {
			t.Errorf("%s: %+v, error %v, want %q", test.name, run, err, test.errorContains)
		}
	}
	b := contextsFile(t)
	put(b, 6, samplingStride, 0)
	if _, err := read(b); err == nil || !strings.Contains(err.Error(), "offset 0x6000: 64 samples with stride 0") {
		t.Errorf("stride 0: %v", err)
	}
}

// A growing file is one whose context tree grows while it is read. Chunks come from before until one has been read, and then from
// after.
type growing struct {
	before, after []byte
	chunks        int
}

func (g *growing) ReadAt(b []byte, off int64) (int, error) {
	from := g.before
	if len(b) == pcct.ChunkWords*8 {
		if g.chunks++; g.chunks > 1 {
			from = g.after
		}
	}
	return copy(b, from[off:]), nil
}

// TestContextsGrow reads a file whose process makes entries in its second chunk that belong to new ones in its first.
func TestContextsGrow(t *testing.T) {
	early, late := newTree(2), newTree(2)
	parent := early.Node(0, 0)
	late.Node(0, 0)
	for i := range pcct.Ref(2000) {
		parent = late.Node(parent, i)
	}
	if len(late.chunks[1]) == 0 || late.chunks[1][pcct.ChunkHead] == 0 {
		t.Fatal("one chunk was enough")
	}
	g := &growing{before: withContexts(v1(t), early), after: withContexts(v1(t), late)}
	run, err := Read(g, int64(len(g.after)))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(run.Contexts.Nodes); n < 1 || n > 2001 {
		t.Errorf("%d nodes", n)
	}
}
