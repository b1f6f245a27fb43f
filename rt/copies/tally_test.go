package copies

import (
	"maps"
	"math/rand/v2"
	"testing"
)

// TestTally adds path ends of more paths than there is room for, in two windows.
func TestTally(t *testing.T) {
	var tally Tally
	random := rand.New(rand.NewPCG(1, 2))
	for range 2 {
		tally.empty()
		want := make(map[tallied]uint32)
		var lost U
		for range 20000 {
			of := tallied{target: random.Uint32N(40), path: random.Uint64N(50) << random.IntN(2) * 20}
			if _, ok := want[of]; !ok && len(want) == mostTallied {
				lost++
			} else {
				want[of]++
			}
			tally.add(of.target, of.path)
		}
		got := make(map[tallied]uint32)
		for _, i := range tally.used[:tally.n] {
			e := tally.slots[i]
			got[tallied{target: e.target, path: e.path}] = e.times
		}
		if !maps.Equal(got, want) || tally.lost != lost || lost == 0 {
			t.Errorf("%d paths are tallied, want %d; %d lost, want %d", len(got), len(want), tally.lost, lost)
		}
	}
}

// TestNoted asks for the last path end that a stack may be of.
func TestNoted(t *testing.T) {
	targets := []Target{{At: 0, Paths: 3}, {At: Inlined, Paths: 3}}
	var tally Tally
	tally.add(0, 1)
	tally.noted.wanted = true
	if _, _, ok := tally.noted.last(targets); ok {
		t.Error("a path end was noted that was not wanted")
	}
	tally.add(0, 2)
	tally.add(1, 1) // inlined
	tally.add(0, 3) // not known
	if target, path, ok := tally.noted.last(targets); !ok || target != 0 || path != 2 {
		t.Errorf("the last is path %d of target %d, %v", path, target, ok)
	}
	for range mostNoted {
		tally.add(1, 1)
	}
	if _, _, ok := tally.noted.last(targets); ok {
		t.Error("the last is inlined")
	}
}
