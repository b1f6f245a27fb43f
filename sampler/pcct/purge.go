package pcct

// Purging: PCCT 5.3 clears the whole buffer from time to time. Here the tree is the profile of a whole run, so nothing is thrown
// away but detail. When there are many entries, leaves with few samples are folded. A node is added to its parent: its samples
// would have gone there without room for the node. A path in a context is added to the same path in none. What is hot has more
// samples than that and stays. So the limit of samples does not rise where folding all would not do: the entries that are never
// folded, as of functions and labels, are too many then.
//
// A reader of the file finds a tree at any moment. An entry becomes free by one store, that of its header. It is used again by
// another store of its header, when all else of it is there. If the process is killed between two stores of a fold, that leaf is
// counted twice or its path not at all.

const (
	// purgeFrom and purgeTo are at how many entries purging begins and ends. What is free above them is for the samples of
	// some ticks.
	purgeFrom = mostEntries - 4096
	purgeTo   = mostEntries - 8192
	// purgeStep is how many entries are looked at in a step: some microseconds.
	purgeStep = 512
)

// freeWords is the length of entries that become free. These are nodes and paths, which have the same length, so that either can
// take the other's place.
const freeWords = NodeWords

var _ [freeWords - PathWords]struct{} = [0]struct{}{}

// purge is how far a tree has been purged.
type purge struct {
	on     bool
	hand   Ref    // the entry to be looked at next, unless
	above  Ref    // this one may have become a leaf
	swept  uint32 // entries that have been folded since the hand was at the first
	limit  U      // samples of the leaves that are folded, at most
	folded U
	free   Ref // the first free entry, whose word 1 refers to the next
}

// Folded returns how many nodes and paths have been folded.
//
//go:norace
func (t *Tree) Folded() U { return t.purge.folded }

// Purges reports whether Purge may fold some, unless there is less in the tree by then.
//
//go:norace
func (t *Tree) Purges() bool { return t.purge.on || t.entries >= purgeFrom-purgeStep }

// Purge folds some leaves if there are many entries. It is to be called now and then, when no Ref of a node or path is in
// use but those of a Stack.
//
//go:norace
func (t *Tree) Purge() {
	p := &t.purge
	switch {
	case t.entries >= purgeFrom && !p.on:
		p.on, p.limit = true, max(p.limit/2, 1) // what comes again and again must stay although it is new
	case t.entries <= purgeTo:
		p.on = false
	}
	if !p.on {
		return
	}
	for range purgeStep {
		switch {
		case p.above != 0:
			p.above = t.fold(p.above)
		case !t.entryAt(p.hand):
			t.sweepOn()
		default:
			p.above = t.fold(p.hand)
			p.hand += Ref(*t.Word(p.hand, 0) >> 8 & (1<<24 - 1))
		}
	}
}

// entryAt reports whether there is an entry at r.
//
//go:norace
func (t *Tree) entryAt(r Ref) bool {
	return r != 0 && r%ChunkWords != 0 && r < t.next && *t.Word(r, 0) != 0
}

// sweepOn moves the hand on to the next chunk, or from the last to the first. If a whole sweep has found too little, the
// next finds more, unless there cannot be enough.
//
//go:norace
func (t *Tree) sweepOn() {
	p := &t.purge
	p.hand = (p.hand+ChunkWords-1)/ChunkWords*ChunkWords + ChunkHead
	if p.hand < t.next {
		return
	}
	if p.swept < purgeFrom-purgeTo && t.lasting < purgeTo {
		p.limit = min(2*p.limit, 1<<32) // by then all leaves are folded
	}
	p.hand, p.swept = ChunkHead, 0
}

// fold folds an entry if it is a leaf with few samples that is below another, which it returns, or 0.
//
//go:norace
func (t *Tree) fold(r Ref) (above Ref) {
	if above = t.about(r); above == 0 {
		return 0
	}
	switch kind := *t.Word(r, 0) & 0xff; {
	case kind == KindNode && *t.Word(r, NodeBelow) == 0 && *t.Word(r, NodeSamples) <= t.purge.limit:
		*t.Word(above, NodeTime) += *t.Word(r, NodeTime)
		*t.Word(above, NodeSamples) += *t.Word(r, NodeSamples)
		t.free(r)
	case kind == KindPath && *t.Word(r, PathSamples) <= t.purge.limit:
		t.foldPath(r)
	default:
		return 0
	}
	*t.Word(above, NodeBelow)--
	t.purge.folded++
	t.purge.swept++
	return above
}

// foldPath folds a path. Its entry is free before the one is asked for that has the path in no context: there may be no other.
//
//go:norace
func (t *Tree) foldPath(r Ref) {
	var words [PathWords]U
	for i := range words {
		words[i] = *t.Word(r, uint32(i))
	}
	t.free(r)
	anywhere := t.Path(0, words[PathAt], words[PathNumber])
	for i := uint32(PathEstimate); i < PathWords; i++ {
		*t.Word(anywhere, i) += words[i]
	}
}

// free makes an entry free.
//
//go:norace
func (t *Tree) free(r Ref) {
	t.forget(r)
	t.changed()
	*t.Word(r, 0) = Header(KindFree, freeWords, 0)
	*t.Word(r, 1), t.purge.free = U(t.purge.free), r
	t.entries--
}

// about returns what an entry is about: of a node its parent, of a path its node.
//
//go:norace
func (t *Tree) about(r Ref) Ref { return Ref(*t.Word(r, 0) >> 32) }

// changed notes that an entry has become free or is about to be used again.
//
//go:norace
func (t *Tree) changed() { *t.Word(0, HeadChanges)++ }

// again returns a free entry for a new one of a kind, with zeros in it but for its header, or 0.
//
//go:norace
func (t *Tree) again(kind U) Ref {
	r := t.purge.free
	if r == 0 || kind != KindNode && kind != KindPath {
		return 0
	}
	t.changed()
	t.purge.free = Ref(*t.Word(r, 1))
	for i := uint32(1); i < freeWords; i++ {
		*t.Word(r, i) = 0
	}
	return r
}

// forget takes an entry out of the index: those behind it that would not be found any more move up.
//
//go:norace
func (t *Tree) forget(r Ref) {
	slot := t.home(r)
	for t.index[slot] != r {
		slot = (slot + 1) % slots
	}
	for hole := slot; ; {
		t.index[hole] = 0
		slot = hole
		for {
			slot = (slot + 1) % slots
			if t.index[slot] == 0 {
				return
			}
			if home := t.home(t.index[slot]); (slot-home)%slots >= (slot-hole)%slots {
				break
			}
		}
		t.index[hole], hole = t.index[slot], slot
	}
}

// home returns where in the index an entry is looked for first. If the file has been truncated, its header may be 0: nobody finds
// the entry any more, and its length is not known.
//
//go:norace
func (t *Tree) home(r Ref) U {
	header := *t.Word(r, 0)
	if header == 0 {
		return 0
	}
	n := uint32(header>>8&(1<<24-1)) - 1 // words that make it what it is
	switch header & 0xff {
	case KindNode:
		n = 1
	case KindPath:
		n = 2
	}
	hash := mix(0, header)
	for i := range n {
		hash = mix(hash, *t.Word(r, i+1))
	}
	return hash % slots
}

// stands reports whether a node that was a parent's child for a location is still that.
//
//go:norace
func (t *Tree) stands(node, parent, location Ref) bool {
	return *t.Word(node, 0) == Header(KindNode, NodeWords, U(parent)) && Ref(*t.Word(node, NodeLocation)) == location
}
