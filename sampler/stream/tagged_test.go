package stream

import "testing"

// TestTaggedTransitions takes each arrow of STRAT's figure 6, with a threshold of 16.
func TestTaggedTransitions(t *testing.T) {
	const owner, other = 1, 2 // tags
	own := func(hits, misses uint32) entry { return entry{hits, misses, owner, true} }
	for _, test := range []struct {
		name    string
		before  entry
		tag     uint32 // of the event
		after   entry
		message uint64
	}{
		{"E1", entry{}, owner, own(1, 0), 0},
		{"E1, something is left", entry{hits: 5}, owner, own(6, 0), 0},
		{"E2", own(15, 0), owner, entry{}, 16},
		{"E2, after E5 left it above the threshold", own(20, 0), owner, entry{}, 21},
		{"E3", own(14, 0), owner, own(15, 0), 0},
		{"E4", own(14, 0), other, own(14, 1), 0},
		{"E4, replaced by no first miss", own(1, 0), other, own(1, 1), 0},
		{"E5, misses saturate", own(15, 7), other, entry{23, 0, other, true}, 0},
		{"E5, one hit", own(1, 1), other, entry{3, 0, other, true}, 0},
		{"E5, fewer hits than twice the misses", own(5, 3), other, entry{9, 0, other, true}, 0},
		{"E5a", own(6, 3), other, own(6, 4), 0},
		{"E5a, up to saturation", own(15, 6), other, own(15, 7), 0},
		{"E6", own(7, 2), owner, entry{hits: 2}, 8},
		{"E6, at the threshold", own(15, 1), owner, entry{hits: 1}, 16},
		{"E6, too few for one miss, many misses", own(3, 4), owner, entry{hits: 4}, 4},
		{"E6a, less than a quarter", own(2, 7), owner, own(3, 7), 0},
		{"E6a, too few misses", own(6, 2), owner, own(7, 2), 0},
	} {
		g := NewTagged(Hash{}, 1, 2, 16)
		// Its other entry is nobody's, which no event is to find while this one is valid: so it is the event's own way.
		g.ways, g.entries = 1, g.entries[:1]
		g.entries[0] = test.before
		held, _ := g.Held()
		_, n := g.Event(Tuple{0, uint64(test.tag)})
		if g.entries[0] != test.after || n != test.message {
			t.Errorf("%s: %+v and a message of %d, want %+v and %d", test.name, g.entries[0], n, test.after, test.message)
		}
		if now, _ := g.Held(); now+int64(n) != held+1 {
			t.Errorf("%s: %d held, then %d and a message of %d", test.name, held, now, n)
		}
	}
}

// TestTaggedSets has events find their entry, an empty one, or the one that they miss.
func TestTaggedSets(t *testing.T) {
	valid := func(hits, misses, tag uint32) entry { return entry{hits, misses, tag, true} }
	for _, test := range []struct {
		name string
		set  []entry
		want int
	}{
		{"the tag's", []entry{valid(9, 0, 1), valid(1, 0, 3)}, 1},
		{"the tag's, though one is empty", []entry{{}, valid(1, 0, 3)}, 1},
		{"an empty one, whose old tag is none", []entry{valid(9, 0, 1), {hits: 2}}, 1},
		{"the empty one with more left", []entry{{hits: 1}, {hits: 2}}, 1},
		{"the one that is to be evicted", []entry{valid(1, 0, 1), valid(9, 1, 2)}, 1},
		{"the one with fewer hits", []entry{valid(9, 0, 1), valid(8, 0, 2)}, 1},
		{"the first of equal ones", []entry{valid(9, 1, 1), valid(9, 1, 2)}, 0},
	} {
		if got := lookup(test.set, 3); got != &test.set[test.want] {
			t.Errorf("%s: %+v", test.name, *got)
		}
	}
}

// TestTaggedKeepsApart has two tuples in one set, one of which is rare. With their own entries all that is said of
// the frequent one is true. A stratum of both cannot have that.
func TestTaggedKeepsApart(t *testing.T) {
	g := NewTagged(Hash{}, 1, 2, 16)
	frequent, rare := Tuple{0, 1}, Tuple{0, 2}
	sums := make(map[Tuple]uint64)
	for i := range 1600 {
		e := frequent
		if i%16 == 15 {
			e = rare
		}
		e, n := g.Event(e)
		sums[e] += n
	}
	if sums[frequent] != 1488 || sums[rare] != 96 { // 1500 and 100, in sixteens
		t.Errorf("%v", sums)
	}
}
