//go:build !goprofinstr_std

package pcct

import (
	"encoding/binary"
	"fmt"
)

// Contexts are the nodes and paths of a tree that has been read.
type Contexts struct {
	Nodes []Node // parents come before their children
	Paths []Path

	Locations map[Ref][]Frame // innermost first
}

// A Node is a calling context.
type Node struct {
	Parent  int     // index in Nodes, or -1: it is outermost, or the one above it is not known
	Frames  []Frame // innermost first; none in a node for labels
	Labels  []Label // of a node for labels, which is outermost
	Time    uint64  // CPU time in ns that was spent in the innermost of Frames
	Samples uint64  // that Time is made of
	New     uint64  // CPU time in ns of samples, here or further in, that found the activation to be new: see History
}

// A Path is a path that a function took in a calling context.
type Path struct {
	Node       int    // index of a node whose innermost frame is the function, at no line; -1 if it is not known
	At, Number uint64 // what path
	Estimate   uint64 // of its executions
	Samples    uint64 // that the estimate is made of
	Time       uint64 // CPU time in ns that was spent on it
}

// Read reads the chunks of an arena, ChunkWords words each; the first ChunkHead of them are not looked at. A tree that is being
// written, or that its process was killed over, is read as far as it is whole.
func Read(chunks [][]uint64) (*Contexts, error) {
	r := reader{
		texts: make(map[Ref]string), functions: make(map[Ref]Frame), locations: make(map[Ref][]Frame), labels: make(map[Ref][]Label),
		entries: make(map[Ref][]uint64), nodes: make(map[Ref]int),
	}
	for i, words := range chunks {
		for at := uint64(ChunkHead); at < uint64(len(words)) && words[at] != 0; {
			header := words[at]
			n := header >> 8 & (1<<24 - 1)
			if n == 0 || n > uint64(len(words))-at {
				return nil, fmt.Errorf("context tree: entry of %d words at word %d of chunk %d", n, at, i)
			}
			ref := Ref(i*ChunkWords) + Ref(at)
			if err := r.entry(ref, words[at:at+n]); err != nil {
				return nil, fmt.Errorf("context tree: entry %d: %w", ref, err)
			}
			at += n
		}
	}
	for _, ref := range r.order { // an entry that was free before may be below a later one
		r.add(ref)
	}
	r.read.Locations = r.locations
	return &r.read, nil
}

type reader struct {
	read Contexts

	texts     map[Ref]string
	functions map[Ref]Frame
	locations map[Ref][]Frame
	labels    map[Ref][]Label
	order     []Ref            // nodes and paths
	entries   map[Ref][]uint64 // of these
	nodes     map[Ref]int      // index in read.Nodes of those that have been added
}

// entry reads an entry, nodes and paths but for what they are below of.
func (r *reader) entry(ref Ref, words []uint64) error {
	kind, about, w := words[0]&0xff, Ref(words[0]>>32), words[1:]
	switch {
	case kind == KindText:
		return r.text(ref, about, w)
	case kind == KindFunction && len(w) == 1:
		r.functions[ref] = Frame{Name: r.texts[Ref(w[0])], File: r.texts[Ref(w[0]>>32)], StartLine: int32(about)}
	case kind == KindLocation && len(w) == int(about) && len(w) <= MostFrames:
		r.locations[ref] = r.location(w)
	case kind == KindLabels && len(w) == int(about) && len(w) <= MostLabels:
		for _, x := range w {
			r.labels[ref] = append(r.labels[ref], Label{r.texts[Ref(x)], r.texts[Ref(x>>32)]})
		}
	case kind == KindNode && len(w) == NodeWords-1, kind == KindPath && len(w) == PathWords-1:
		r.entries[ref] = words
		r.order = append(r.order, ref)
	case kind != KindFree:
		return fmt.Errorf("kind %d about %d with %d words", kind, about, len(w)+1)
	}
	return nil
}

func (r *reader) text(ref, length Ref, w []uint64) error {
	if int(length) > min(len(w)*8, mostText) {
		return fmt.Errorf("text of %d bytes in %d words", length, len(w))
	}
	var b []byte
	for _, x := range w {
		b = binary.LittleEndian.AppendUint64(b, x)
	}
	r.texts[ref] = string(b[:length])
	return nil
}

func (r *reader) location(w []uint64) []Frame {
	frames := make([]Frame, len(w))
	for i, x := range w {
		frames[i] = r.functions[Ref(x)] // the zero Frame if there was no room for it
		frames[i].Line = int32(x >> 32)
	}
	return frames
}

// beingAdded is in place of the index of a node while the one above it is added.
const beingAdded = -2

// add adds a node or path to what has been read, the node above it first, and returns a node's index in Nodes. The context of
// one that is below nothing that has been read, or below itself, is not known. Then the file was copied while the tree
// changed, and its pages are of different moments.
func (r *reader) add(ref Ref) int {
	if i, ok := r.nodes[ref]; ok {
		return i // not beingAdded: see below
	}
	words := r.entries[ref]
	about, w := Ref(words[0]>>32), words[1:]
	path := words[0]&0xff == KindPath
	r.nodes[ref] = beingAdded
	above := -1
	if outer := r.entries[about]; outer != nil && outer[0]&0xff == KindNode && r.nodes[about] != beingAdded {
		above = r.add(about)
	}
	if path {
		r.read.Paths = append(r.read.Paths, Path{above, w[PathAt-1], w[PathNumber-1], w[PathEstimate-1], w[PathSamples-1], w[PathTime-1]})
		return 0
	}
	at := Ref(w[NodeLocation-1])
	r.nodes[ref] = len(r.read.Nodes)
	r.read.Nodes = append(r.read.Nodes, Node{
		Parent: above, Frames: r.locations[at], Labels: r.labels[at], Time: w[NodeTime-1], Samples: w[NodeSamples-1], New: w[NodeNew-1],
	})
	return r.nodes[ref]
}
