//go:build goprofinstr_std && goprofinstr_sampler && linux && amd64 && !goprofinstr_basic

package native

import (
	"github.com/goprofinstr/goprofinstr/rt/sys"
)

// A tally says how often each path ended in a window. Of some thousand path ends most are of a few paths. So to add them
// up takes some nanoseconds for each, and the rest of the work is done once for each path.

const (
	tallySlots = 1 << 11
	// mostTallied is how many paths a tally has room for. So at least half of its slots are free.
	mostTallied = tallySlots / 2
)

// tally is that of the last window.
var tally tallyType

type tallyType struct {
	slots [tallySlots]tallied
	used  [mostTallied]uint16 // the slots that have a path
	n     int                 // of these
}

// A tallied path is what logs have for its ends, and how many of them there were. A free slot has none.
type tallied struct {
	ended
	times U
}

// empty forgets all.
//
//go:norace
func (t *tallyType) empty() {
	for _, i := range t.used[:t.n] {
		t.slots[i].times = 0
	}
	t.n = 0
}

// add adds a path end, and reports whether there was room for it.
//
//go:norace
func (t *tallyType) add(e *ended) bool {
	for i := sys.Mix(U(e.at) ^ e.path<<40 ^ e.path); ; i++ {
		s := &t.slots[i%tallySlots]
		switch {
		case s.times == 0:
			if t.n == mostTallied {
				return false
			}
			s.ended = *e
			t.used[t.n] = uint16(i % tallySlots)
			t.n++
		case s.ended != *e:
			continue
		}
		s.times++
		return true
	}
}

// at returns the i-th path of the tally.
//
//go:norace
func (t *tallyType) at(i int) *tallied { return &t.slots[t.used[i]] }
