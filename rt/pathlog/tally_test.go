package pathlog

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
		tally.Forget()
		want := make(map[Tallied]uint32)
		var lost U
		for range 20000 {
			of := Tallied{Target: random.Uint32N(40), Path: random.Uint64N(50) << random.IntN(2) * 20}
			if _, ok := want[of]; !ok && len(want) == mostTallied {
				lost++
			} else {
				want[of]++
			}
			tally.Add(of.Target, of.Path)
		}
		got := make(map[Tallied]uint32)
		for i := range tally.Len() {
			e := tally.At(i)
			got[Tallied{Target: e.Target, Path: e.Path}] = e.Times
		}
		if !maps.Equal(got, want) || tally.Lost != lost || lost == 0 {
			t.Errorf("%d paths are tallied, want %d; %d lost, want %d", len(got), len(want), tally.Lost, lost)
		}
	}
}

// TestNoted asks for the last path end that a stack may be of.
func TestNoted(t *testing.T) {
	targets := []Target{{At: 0, Paths: 3}, {At: Inlined, Paths: 3}}
	var tally Tally
	tally.Add(0, 1)
	tally.Note()
	if _, _, ok := tally.Noted(targets); ok {
		t.Error("a path end was noted that was not wanted")
	}
	tally.Note()
	tally.Add(0, 2)
	tally.Add(1, 1) // inlined
	tally.Add(0, 3) // not known
	if target, path, ok := tally.Noted(targets); !ok || target != 0 || path != 2 {
		t.Errorf("the last is path %d of target %d, %v", path, target, ok)
	}
	tally.Note()
	tally.Add(0, 2)
	for range mostNoted {
		tally.Add(1, 1)
	}
	if _, _, ok := tally.Noted(targets); ok {
		t.Error("the last is inlined")
	}
}
