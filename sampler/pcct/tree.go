package pcct

import "unsafe"

// U is a word of the arena.
type U = uint64

// Ref is the index of an entry; 0 is none, or the root.
type Ref = uint32

// Kinds of entries.
const (
	KindText = 1 + iota
	KindFunction
	KindLocation
	KindLabels
	KindNode
	KindPath
	KindFree // was a node or a path, and will be one again
)

// Words of a node. Its parent is what the entry is about.
const (
	NodeLocation = 1 + iota
	NodeTime
	NodeSamples
	NodeNew
	NodeBelow // how many nodes and paths are below it: the writer's own
	NodeWords
)

// Words of a path. Its node is what the entry is about.
const (
	PathAt = 1 + iota
	PathNumber
	PathEstimate
	PathSamples
	PathTime
	PathWords
)

const (
	// ChunkWords is the length of a chunk of the arena.
	ChunkWords = 8192
	// ChunkHead is how many words at the beginning of a chunk are no entries.
	ChunkHead = 16
	// HeadChanges is the word of the first chunk's head that counts how often an entry has become free or been used again. A tree
	// in which it has changed during reading has to be read again.
	HeadChanges = 8
	// MostChunks bounds the arena: to 4 MiB.
	MostChunks = 64

	slots       = 1 << 16
	mostEntries = slots / 4 * 3 // longer searches are no good

	// mostLabelled is how many entries are for labels when half of all are taken. None of them is folded, and some programs label
	// each request with a number.
	mostLabelled = mostEntries / 4

	// MostFrames is how many frames a location has at most: the compiler inlines less deeply.
	MostFrames = 32
	// mostText is the most bytes of a text that are kept.
	mostText = 1024
)

// A Tree is a tree in an arena. It has no pointers, and so the garbage collector does not look at it.
type Tree struct {
	chunks  [MostChunks]uintptr
	given   uint32 // chunks
	next    uint32 // index of the next entry
	entries uint32
	lasting uint32 // entries that are never folded
	lost    U

	labelled uint32 // entries made for labels
	full     bool   // only entries that there are may be asked for
	purge    purge
	index    [slots]Ref // by hash, with linear probing
}

// Lost returns how often there was no room for an entry.
//
//go:norace
func (t *Tree) Lost() U { return t.lost }

// Hungry reports whether the tree needs another chunk, so as to have room for a sample or two.
//
//go:norace
func (t *Tree) Hungry() bool {
	return t.given < MostChunks && t.next+ChunkWords/2 > t.given*ChunkWords
}

// Chunks returns how many chunks the tree has.
//
//go:norace
func (t *Tree) Chunks() int { return int(t.given) }

// Feed gives the tree a chunk of zeros, which stays where it is and is no memory of the Go heap.
//
//go:norace
func (t *Tree) Feed(chunk uintptr) {
	t.chunks[t.given] = chunk
	t.given++
}

// Word returns the address of a word of an entry.
//
//go:norace
func (t *Tree) Word(r Ref, i uint32) *U {
	at := t.chunks[r/ChunkWords] + uintptr(r%ChunkWords+i)*8
	return *(**U)(unsafe.Pointer(&at))
}

// Header returns the first word of an entry.
func Header(kind, words, about U) U { return kind | words<<8 | about<<32 }

// intern returns the entry of a kind that is about something and has the words id behind its header. It makes the
// entry if there is none, with zeros behind id. intern returns 0 if there is no room.
//
//go:norace
func (t *Tree) intern(kind, about U, id []U, words uint32) Ref {
	header := Header(kind, U(words), about)
	slot := hash(header, id)
	for ; t.index[slot] != 0; slot = (slot + 1) % slots {
		if t.is(t.index[slot], header, id) {
			return t.index[slot]
		}
	}
	r := Ref(0)
	if !t.full {
		r = t.place(kind, words)
	}
	if r == 0 {
		t.lost++
		return 0
	}
	for i, w := range id {
		*t.Word(r, uint32(i)+1) = w
	}
	*t.Word(r, 0) = header
	t.index[slot] = r
	if above := Ref(about); above != 0 && (kind == KindNode || kind == KindPath) {
		*t.Word(above, NodeBelow)++
	} else {
		t.lasting++
	}
	return r
}

// hash returns where in the index an entry is looked for first.
//
//go:norace
func hash(header U, id []U) U {
	hash := mix(0, header)
	for _, w := range id {
		hash = mix(hash, w)
	}
	return hash % slots
}

//go:norace
func (t *Tree) is(r Ref, header U, id []U) bool {
	if *t.Word(r, 0) != header {
		return false
	}
	for i, w := range id {
		if *t.Word(r, uint32(i)+1) != w {
			return false
		}
	}
	return true
}

// mix is a step of a hash: a multiplication, and the upper half folded into the lower.
//
//go:norace
func mix(hash, w U) U {
	hash = (hash ^ w) * 0x9e37_79b9_7f4a_7c15
	return hash ^ hash>>32
}

// place returns where a new entry goes, or 0. There are never more than mostEntries: with a full index, searches would not end.
//
//go:norace
func (t *Tree) place(kind U, words uint32) Ref {
	if t.entries >= mostEntries {
		return 0
	}
	r := t.again(kind)
	if r == 0 {
		r = t.room(words)
	}
	if r != 0 {
		t.entries++
	}
	return r
}

// room returns the index of that many free words, or 0.
//
//go:norace
func (t *Tree) room(words uint32) Ref {
	if t.next%ChunkWords == 0 || t.next%ChunkWords+words > ChunkWords { // behind the end of a chunk, or too near to it
		chunk := (t.next + ChunkWords - 1) / ChunkWords
		if chunk >= t.given {
			return 0
		}
		t.next = chunk*ChunkWords + ChunkHead
	}
	r := t.next
	t.next += words
	return r
}

// Entries returns how many entries are in use.
func (t *Tree) Entries() int { return int(t.entries) }

// text returns a text's entry.
//
//go:norace
func (t *Tree) text(s string) U {
	s = s[:min(len(s), mostText)]
	var words [mostText / 8]U
	for i := range len(s) {
		words[i/8] |= U(s[i]) << (i % 8 * 8)
	}
	n := (len(s) + 7) / 8
	return U(t.intern(KindText, U(len(s)), words[:n], uint32(n)+1))
}

// A Frame is a function, inlined or not, and the line that it is at. Name and File are not in the Go heap.
type Frame struct {
	Name, File      string
	Line, StartLine int32
}

// Location returns the location that some frames are, the innermost first.
//
//go:norace
func (t *Tree) Location(frames []Frame) Ref {
	var words [MostFrames]U
	for i := range frames {
		f := &frames[i]
		name := t.text(f.Name)
		id := [1]U{name | t.text(f.File)<<32}
		words[i] = U(t.intern(KindFunction, U(uint32(f.StartLine)), id[:], 2)) | U(uint32(f.Line))<<32
	}
	return t.intern(KindLocation, U(len(frames)), words[:len(frames)], uint32(len(frames))+1)
}

// A Label is a label of a goroutine.
type Label struct{ Key, Value string }

// MostLabels is how many labels of a goroutine are kept.
const MostLabels = 16

// Labels returns the child of the root for goroutines with some labels. If too many entries have been made for labels, and half
// of all are taken, others than these have the root, 0.
//
//go:norace
func (t *Tree) Labels(labels []Label) Ref {
	before := t.entries
	t.full = t.labelled >= mostLabelled && t.entries >= mostEntries/2
	r := t.labels(labels)
	t.full = false
	t.labelled += t.entries - before
	return r
}

//go:norace
func (t *Tree) labels(labels []Label) Ref {
	labels = labels[:min(len(labels), MostLabels)]
	var words [MostLabels]U
	for i := range labels {
		key := t.text(labels[i].Key)
		words[i] = key | t.text(labels[i].Value)<<32
	}
	found := t.intern(KindLabels, U(len(labels)), words[:len(labels)], uint32(len(labels))+1)
	if found == 0 {
		return 0
	}
	return t.Node(0, found)
}

// Node returns the child of a node for a location. It is 0 if there is no room.
//
//go:norace
func (t *Tree) Node(parent, location Ref) Ref {
	id := [1]U{U(location)}
	return t.intern(KindNode, U(parent), id[:], NodeWords)
}

// Path returns a path below a node. It is 0 if there is no room.
//
//go:norace
func (t *Tree) Path(node Ref, at, number U) Ref {
	id := [2]U{at, number}
	return t.intern(KindPath, U(node), id[:], PathWords)
}

// Innermost returns the innermost function of a location.
//
//go:norace
func (t *Tree) Innermost(location Ref) Ref {
	if t.Frames(location) == 0 {
		return 0
	}
	return Ref(*t.Word(location, 1))
}

// Frames returns how many frames a location has.
//
//go:norace
func (t *Tree) Frames(location Ref) int {
	if location == 0 {
		return 0
	}
	return int(*t.Word(location, 0) >> 32)
}

// Has reports whether a function is one of a location's.
//
//go:norace
func (t *Tree) Has(location, function Ref) bool {
	if location == 0 || function == 0 {
		return false
	}
	for i := range uint32(*t.Word(location, 0) >> 32) {
		if Ref(*t.Word(location, i+1)) == function {
			return true
		}
	}
	return false
}
