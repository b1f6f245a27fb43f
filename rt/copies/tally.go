//go:build goprofinstr_std && goprofinstr_copies && linux && (amd64 || arm64) && !goprofinstr_basic

package copies

import "github.com/goprofinstr/goprofinstr/rt/sys"

// A tally says how often each path ended in a window. Most of some thousand path ends are of a few paths, so what a path
// costs when the window is weighed is paid once for each.

const (
	tallySlots = 1 << 11
	// mostTallied is how many paths a tally has room for. So at least half of its slots are free.
	mostTallied = tallySlots / 2
)

// tally is that of the window.
var tally tallyType

type tallyType struct {
	slots [tallySlots]tallied
	used  [mostTallied]uint16 // the slots that have a path
	n     int                 // of these
	ends  U                   // path ends in it
	lost  U                   // path ends without room
	last  tallied             // the last path end of a function that is not inlined, whose path is known; and how many there were
}

// A tallied path is known by where its estimate is, or by its Hash and its number there. A free slot has no times.
type tallied struct {
	at, path, times U
	level           U // of what it was seen in; path ends of cold functions are counted, too
}

// The levels of functions.
const (
	countedLevel = 0
	sampledLevel = 1
)

// emptyTally forgets all.
//
//go:norace
func emptyTally() {
	t := &tally
	for _, i := range t.used[:t.n] {
		t.slots[i].times = 0
	}
	t.n, t.ends, t.lost = 0, 0, 0
	t.last = tallied{}
}

// tallyEnd adds a path end.
//
//go:norace
func tallyEnd(target uint32, path U) {
	t, of := &tally, &program.decoder.Targets[target]
	at, number := estimateOf(of, path)
	if of.At&Inlined == 0 && path < of.Paths {
		t.last.at, t.last.path, t.last.times = at, number, t.last.times+1
	}
	t.add(at, number, sampledLevel)
}

// add adds an end of a path of some level.
//
//go:norace
func (t *tallyType) add(at, number, level U) {
	for i := sys.Mix(at ^ number<<40 ^ number); ; i++ {
		s := &t.slots[i%tallySlots]
		switch {
		case s.times == 0:
			if t.n == mostTallied {
				t.lost++
				return
			}
			s.at, s.path, s.level = at, number, level
			t.used[t.n] = uint16(i % tallySlots)
			t.n++
		case s.at != at || s.path != number || s.level != level:
			continue
		}
		s.times++
		t.ends++
		return
	}
}

// estimateOf returns where the estimate of a path is, and its number if that is in a Hash.
//
//go:norace
func estimateOf(t *Target, path U) (at, number U) {
	switch {
	case image.Counters > 0:
		return t.At + path, 0
	case t.At&IsHash != 0:
		return t.At &^ Inlined, path
	}
	return t.At&^Inlined + path*pairSize, 0
}

// pairSize is the size of an estimate and its number of samples.
const pairSize = 16
