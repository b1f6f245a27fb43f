package stream

// Tagged is the tagged compressor (STRAT 4), a set-associative table of counters. Each knows by a partial tag what tuple it is
// for, or at least what others it is not for. Only the tag of a tuple is kept, so when an entry gets another owner nobody can
// send the count for the old one. The entry waits for its tuple to come once more, or leaves its count to the next owner.
//
//	               E1                       E4
//	┌────► Empty ───────► Valid (E3) ───────────────► Evict (E5a, E6a)
//	│                     │   ▲                       │  │
//	│          E2         │   │          E5           │  │
//	├─────────────────────┘   └───────────────────────┘  │
//	│                        E6                          │
//	└────────────────────────────────────────────────────┘
//
//	    when the event           and                does
//	E1  is of nobody's                              the entry is its; its count goes on from what is left there
//	E2  is the entry's           count is reached   message; the entry is empty
//	E3  is the entry's                              hits++
//	E4  is another's                                misses++
//	E5  is another's             should replace     the entry is the other's, with all hits and misses
//	E5a is another's                                misses++
//	E6  is the entry's           should evict       message with its hits; the entry is empty, and misses are left there
//	E6a is the entry's                              hits++
//
// Departures from figure 6. The event of E5 is counted: hits + misses + 1. Otherwise the length of the stream would be lost, and
// the text says that it is not. The event of E6 is counted, too, with the message. An empty entry that has something left gives
// it to the tuple that it is allocated to, as the text on E6 has it. In E6 misses·hits is compared with the threshold and nothing
// divided. Counts are as large as they are: after E5 they can be above the threshold, and the next message has all. STRAT does
// not say which of the entries of a set is allocated: here it is an empty one. Without an empty one, an event that no entry is
// for is a miss of one entry. It is the entry that waits to be evicted already, or the one with the fewest hits.
type Tagged struct {
	hash      Hash
	indexBits uint // of sets
	tagBits   uint
	ways      int
	threshold uint32 // hits that make a message, STRAT's triggerThreshold
	entries   []entry
}

// An entry is empty, valid or to be evicted, which it is when it has misses.
type entry struct {
	hits, misses uint32 // hits of an empty entry are what was left
	tag          uint32
	valid        bool
}

// STRAT's configuration (4.2, 5.4).
const (
	Ways       = 2
	mostMisses = 1<<3 - 1 // what a counter of 3 bits has room for
)

// NewTagged returns a tagged compressor with 2ᵇⁱᵗˢ entries in sets of [Ways], tags of tagBits, and messages when an entry
// has had threshold hits.
func NewTagged(hash Hash, bits, tagBits uint, threshold uint32) *Tagged {
	return &Tagged{hash: hash, indexBits: bits - 1, tagBits: tagBits, ways: Ways, threshold: threshold, entries: make([]entry, 1<<bits)}
}

// Event takes the next event. The count of a message is what its entry had, including what it had taken over.
//
//go:norace
func (g *Tagged) Event(t Tuple) (Tuple, uint64) {
	first := int(g.hash.Index(t, g.indexBits)) * g.ways
	set := g.entries[first : first+g.ways]
	tag := xorFold(t.Site^t.Value, g.tagBits)
	e := lookup(set, tag)
	if !e.valid {
		e.allocate(tag) // E1
		return none()
	}
	if e.tag == tag {
		return t, e.hit(g.threshold)
	}
	e.miss(tag)
	return none()
}

// lookup returns the entry of a set with a tag, or the one that is to be its, or the one that it misses.
//
//go:norace
func lookup(set []entry, tag uint32) *entry {
	best := &set[0]
	for i := range set {
		e := &set[i]
		if e.valid && e.tag == tag {
			return e
		}
		if e.before(best) {
			best = e
		}
	}
	return best
}

// before reports whether an event that is of neither entry goes to e rather than to f. Of empty ones the one with more left
// in it is first, so that it does not lie there.
//
//go:norace
func (e *entry) before(f *entry) bool {
	switch {
	case e.valid != f.valid:
		return f.valid
	case !e.valid:
		return e.hits > f.hits
	case e.misses != f.misses:
		return e.misses > f.misses
	}
	return e.hits < f.hits
}

//go:norace
func (e *entry) allocate(tag uint32) { e.valid, e.tag, e.hits = true, tag, e.hits+1 }

// hit takes an event of the entry's tuple, and returns the count of the message, or 0.
//
//go:norace
func (e *entry) hit(threshold uint32) uint64 {
	e.hits++
	full := e.misses == 0 && e.hits >= threshold
	if !full && !e.shouldEvict(threshold) {
		return 0 // E3, E6a
	}
	n := e.hits
	*e = entry{hits: e.misses} // E2, where there are no misses; E6
	return uint64(n)
}

// miss takes an event of another tuple.
//
//go:norace
func (e *entry) miss(tag uint32) {
	if e.misses > 0 && e.shouldReplace() {
		*e = entry{valid: true, tag: tag, hits: e.hits + e.misses + 1} // E5
		return
	}
	e.misses++ // E4, E5a
}

//go:norace
func (e *entry) shouldEvict(threshold uint32) bool {
	return e.misses > 0 && e.hits >= threshold/4 && uint64(e.misses)*uint64(e.hits) >= uint64(threshold)
}

//go:norace
func (e *entry) shouldReplace() bool {
	return e.misses == mostMisses || e.hits == 1 || e.hits < 2*e.misses
}

// Held returns the hits and misses of all entries.
func (g *Tagged) Held() (events int64, exact bool) {
	for i := range g.entries {
		events += int64(g.entries[i].hits) + int64(g.entries[i].misses)
	}
	return events, true
}
