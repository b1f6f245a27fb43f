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
	Parent  int     // index in Nodes, or -1
	Frames  []Frame // innermost first; none in a node for labels
	Labels  []Label // of a node for labels, which is outermost
	Time    uint64  // CPU time in ns that was spent in the innermost of Frames
	Samples uint64  // that Time is made of
	New     uint64  // CPU time in ns of samples, here or further in, that found the activation to be new: see History
}

// A Path is a path that a function took in a calling context.
type Path struct {
	Node       int    // index of a node whose innermost frame is the function, at no line
	At, Number uint64 // what path
	Estimate   uint64 // of its executions
	Samples    uint64 // that the estimate is made of
	Time       uint64 // CPU time in ns that was spent on it
}

// Read reads the chunks of an arena, ChunkWords words each; the first ChunkHead of them are not looked at. A tree that is being
// written, or that its process was killed over, is read as far as it is whole.
func Read(chunks [][]uint64) (*Contexts, error) {
	r := reader{nodes: make(map[Ref]int), texts: make(map[Ref]string), functions: make(map[Ref]Frame), locations: make(map[Ref][]Frame), labels: make(map[Ref][]Label)}
	for i, words := range chunks {
		for at := uint64(ChunkHead); at < uint64(len(words)) && words[at] != 0; {
			header := words[at]
			n := header >> 8 & (1<<24 - 1)
			if n == 0 || n > uint64(len(words))-at {
				return nil, fmt.Errorf("context tree: entry of %d words at word %d of chunk %d", n, at, i)
			}
			ref := Ref(i*ChunkWords) + Ref(at)
			if err := r.entry(ref, header&0xff, Ref(header>>32), words[at+1:at+n]); err != nil {
				return nil, fmt.Errorf("context tree: entry %d: %w", ref, err)
			}
			at += n
		}
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
	nodes     map[Ref]int
}

func (r *reader) entry(ref Ref, kind uint64, about Ref, w []uint64) error {
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
	case kind == KindNode && len(w) == NodeWords-1:
		return r.node(ref, about, w)
	case kind == KindPath && len(w) == PathWords-1:
		node, ok := r.nodes[about]
		if !ok {
			return fmt.Errorf("a path below entry %d, which is no node", about)
		}
		r.read.Paths = append(r.read.Paths, Path{node, w[PathAt-1], w[PathNumber-1], w[PathEstimate-1], w[PathSamples-1], w[PathTime-1]})
	default:
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

func (r *reader) node(ref, parent Ref, w []uint64) error {
	n := Node{Parent: -1, Time: w[NodeTime-1], Samples: w[NodeSamples-1], New: w[NodeNew-1]}
	if parent != 0 {
		i, ok := r.nodes[parent]
		if !ok {
			return fmt.Errorf("a node below entry %d, which is none", parent)
		}
		n.Parent = i
	}
	at := Ref(w[NodeLocation-1])
	n.Frames, n.Labels = r.locations[at], r.labels[at]
	r.nodes[ref] = len(r.read.Nodes)
	r.read.Nodes = append(r.read.Nodes, n)
	return nil
}
