package pcct

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"strings"
	"testing"
)

// A model is what a tree should have: a sum for each context, named by its labels and frames from the outermost on.
type model struct {
	time, samples map[string]U
	paths         map[string][3]U // estimate, samples and time, by context, address and number
}

// text names a node that has been read.
func (c *Contexts) text(node int) string {
	if node < 0 {
		return ""
	}
	n := c.Nodes[node]
	return c.text(n.Parent) + fmt.Sprintf("%v%v\n", n.Labels, n.Frames)
}

// sampled returns a tree of random samples and what should be in it.
func sampled(r *rand.Rand, samples int) (*arena, model) {
	a := newArena(0)
	want := model{make(map[string]U), make(map[string]U), make(map[string][3]U)}
	for range samples {
		for a.Hungry() {
			a.feed()
		}
		text, node := "", Ref(0)
		if r.Intn(3) == 0 {
			list := []Label{{"key", fmt.Sprint(r.Intn(3))}, {"é;\n", ""}}[:1+r.Intn(2)]
			node = a.Labels(list)
			text += fmt.Sprintf("%v%v\n", list, []Frame(nil))
		}
		for range 1 + r.Intn(6) {
			frames := make([]Frame, 1+r.Intn(2))
			for i := range frames {
				frames[i] = Frame{fmt.Sprint("example.com/p.F", r.Intn(3)), "p/file.go", int32(r.Intn(2)) * 1_000_000, int32(r.Intn(2))}
			}
			text += fmt.Sprintf("%v%v\n", []Label(nil), frames)
			node = a.Node(node, a.Location(frames))
		}
		time := U(r.Int63())
		*a.Word(node, NodeTime) += time
		*a.Word(node, NodeSamples)++
		want.time[text] += time
		want.samples[text]++
		at, number := U(r.Intn(3))<<40, U(r.Intn(2))
		p := a.Path(node, at, number)
		*a.Word(p, PathEstimate) += 5
		*a.Word(p, PathSamples)++
		*a.Word(p, PathTime) += time
		key := fmt.Sprint(text, at, number)
		sum := want.paths[key]
		want.paths[key] = [3]U{sum[0] + 5, sum[1] + 1, sum[2] + time}
	}
	return a, want
}

// TestRead reads what a tree has written.
func TestRead(t *testing.T) {
	a, want := sampled(rand.New(rand.NewSource(5)), 5_000)
	if len(a.chunks) < 3 {
		t.Fatalf("%d chunks", len(a.chunks))
	}
	read, err := Read(a.chunks)
	if err != nil {
		t.Fatal(err)
	}
	got := model{make(map[string]U), make(map[string]U), make(map[string][3]U)}
	for i, n := range read.Nodes {
		text := read.text(i)
		if _, ok := got.samples[text]; ok {
			t.Fatalf("two nodes for %s", text)
		}
		got.samples[text], got.time[text] = n.Samples, n.Time
	}
	for text, n := range got.samples { // contexts in which nothing was spent
		if n == 0 && want.samples[text] == 0 {
			delete(got.samples, text)
			delete(got.time, text)
		}
	}
	for _, p := range read.Paths {
		got.paths[fmt.Sprint(read.text(p.Node), p.At, p.Number)] = [3]U{p.Estimate, p.Samples, p.Time}
	}
	if !maps.Equal(got.time, want.time) || !maps.Equal(got.samples, want.samples) || !maps.Equal(got.paths, want.paths) {
		t.Errorf("read %d contexts and %d paths, want %d and %d", len(got.time), len(got.paths), len(want.time), len(want.paths))
	}
}

// TestReadCut reads trees whose process was killed: what is there is a part of the whole, front to back.
func TestReadCut(t *testing.T) {
	a, _ := sampled(rand.New(rand.NewSource(6)), 60)
	whole, err := Read(a.chunks)
	if err != nil {
		t.Fatal(err)
	}
	for end := ChunkHead; a.chunks[0][end] != 0; end += int(a.chunks[0][end] >> 8 & (1<<24 - 1)) {
		cut := make([]U, ChunkWords)
		copy(cut, a.chunks[0][:end])
		clear(cut[end:])
		copy(cut[end+1:], a.chunks[0][end+1:end+3]) // an entry whose header is still missing
		read, err := Read([][]U{cut})
		if err != nil {
			t.Fatalf("cut at word %d: %v", end, err)
		}
		if len(read.Nodes) > len(whole.Nodes) || len(read.Paths) > len(whole.Paths) {
			t.Fatalf("cut at word %d: %d nodes", end, len(read.Nodes))
		}
		for i, n := range read.Nodes {
			if n.Parent != whole.Nodes[i].Parent || read.text(i) != whole.text(i) {
				t.Fatalf("cut at word %d: node %d is %+v", end, i, n)
			}
		}
	}
}

// entries returns a chunk with some words.
func entries(words ...U) [][]U { return [][]U{append(make([]U, ChunkHead), words...)} }

func TestReadErrors(t *testing.T) {
	const first = ChunkHead // the index of the first entry
	for _, test := range []struct {
		name, errorContains string
		chunks              [][]U
	}{
		{"no length", "entry of 0 words at word 16 of chunk 0", entries(KindText)},
		{"too long", "entry of 3 words", entries(Header(KindText, 3, 1), 0)},
		{"unknown kind", "kind 9", entries(Header(9, 1, 0))},
		{"kind 0", "kind 0", entries(Header(0, 1, 0))},
		{"text", "text of 9 bytes in 1 words", entries(Header(KindText, 2, 9), 0)},
		{"long text", "text of 1032 bytes", entries(append([]U{Header(KindText, 130, 1032)}, make([]U, 129)...)...)},
		{"many frames", "kind 3 about 33", entries(append([]U{Header(KindLocation, 34, 33)}, make([]U, 33)...)...)},
		{"many labels", "kind 4 about 17", entries(append([]U{Header(KindLabels, 18, 17)}, make([]U, 17)...)...)},
		{"function", "kind 2", entries(Header(KindFunction, 3, 1), 0, 0)},
		{"location", "kind 3", entries(Header(KindLocation, 2, 2), 0)},
		{"labels", "kind 4", entries(Header(KindLabels, 2, 0), 0)},
		{"node", "kind 5", entries(Header(KindNode, 2, 0), 0)},
		{"path", "kind 6", entries(Header(KindPath, 2, first), 0)},
		{"second chunk", fmt.Sprintf("entry %d: kind 8", ChunkWords+first), append([][]U{nil}, entries(Header(8, 1, 0))...)},
	} {
		if read, err := Read(test.chunks); err == nil || !strings.Contains(err.Error(), test.errorContains) {
			t.Errorf("%s: %+v, error %v, want %q", test.name, read, err, test.errorContains)
		}
	}
}

// TestReadForgiving reads what refers to entries there was no room for.
func TestReadForgiving(t *testing.T) {
	read, err := Read(entries(
		Header(KindLocation, 2, 1), 7<<32, // of no function
		Header(KindNode, NodeWords, 0), ChunkHead, 5, 1, 0, 0,
		Header(KindNode, NodeWords, ChunkHead+2), 0, 6, 1, 0, 0, // at no location
	))
	if err != nil {
		t.Fatal(err)
	}
	if len(read.Nodes) != 2 || read.Nodes[0].Frames[0].Line != 7 || read.Nodes[1].Parent != 0 || read.Nodes[1].Time != 6 {
		t.Errorf("%+v", read.Nodes)
	}
}

// TestReadTorn reads trees of which a copy has pages of different moments. An entry that is below nothing that is known, or below
// itself, is in no context. All else is as it was.
func TestReadTorn(t *testing.T) {
	const first = ChunkHead // the index of the first entry
	node := func(parent, time U) []U { return []U{Header(KindNode, NodeWords, parent), 0, time, 1, 0, 0} }
	path := func(node, time U) []U { return []U{Header(KindPath, PathWords, node), 7, 0, 1, 1, time} }
	for _, test := range []struct {
		name    string
		entries [][]U
		want    string // parents of nodes and nodes of paths, with their times
	}{
		{"no parent", [][]U{node(first+1, 5)}, "-1:5 |"},
		{"its own parent", [][]U{node(first, 5)}, "-1:5 |"},
		{"path below nothing", [][]U{path(5, 5)}, "| -1:5"},
		{"circle", [][]U{node(first+NodeWords, 5), node(first, 6)}, "-1:6 0:5 |"},
		{"below a path", [][]U{path(0, 5), node(first, 6)}, "-1:6 | -1:5"},
		{"below a torn node", [][]U{node(first+1, 5), path(first, 6), node(first, 7)}, "-1:5 0:7 | 0:6"},
	} {
		read, err := Read(entries(slices.Concat(test.entries...)...))
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		var got []string
		for _, n := range read.Nodes {
			got = append(got, fmt.Sprintf("%d:%d", n.Parent, n.Time))
		}
		got = append(got, "|")
		for _, p := range read.Paths {
			got = append(got, fmt.Sprintf("%d:%d", p.Node, p.Time))
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

// FuzzRead reads damaged words: whatever comes of it must not lead outside of itself.
func FuzzRead(f *testing.F) {
	a, _ := sampled(rand.New(rand.NewSource(7)), 20)
	var seed []byte
	for _, w := range a.chunks[0][ChunkHead:] {
		if w == 0 && len(seed) > 0 && slices.Max(a.chunks[0][ChunkHead+len(seed)/8:]) == 0 {
			break
		}
		seed = binary.LittleEndian.AppendUint64(seed, w)
	}
	f.Add(seed, uint16(len(seed)))
	f.Add(seed, uint16(40))
	f.Add(seed[:len(seed)/16*8], uint16(0))
	f.Fuzz(func(t *testing.T, b []byte, split uint16) {
		cut := min(len(b), int(split)) / 8 * 8
		chunks := [][]U{make([]U, ChunkHead), make([]U, ChunkHead)}
		for i, half := range [][]byte{b[:cut], b[cut:]} {
			for ; len(half) >= 8 && len(chunks[i]) < ChunkWords; half = half[8:] {
				chunks[i] = append(chunks[i], binary.LittleEndian.Uint64(half))
			}
		}
		read, err := Read(chunks)
		if err != nil {
			return
		}
		for i, n := range read.Nodes {
			if n.Parent < -1 || n.Parent >= i || len(n.Frames) > MostFrames || len(n.Labels) > MostLabels {
				t.Fatalf("node %d: %+v", i, n)
			}
		}
		for _, p := range read.Paths {
			if p.Node < -1 || p.Node >= len(read.Nodes) {
				t.Fatalf("path %+v", p)
			}
		}
	})
}
