package copies

// A Tally says how often each path ended in a window. Most of some thousand path ends are of a few paths, so what a path
// costs when the window is weighed is paid once for each.
type Tally struct {
	slots [tallySlots]tallied
	used  [mostTallied]uint16 // the slots that have a path
	n     int                 // of these
	lost  U                   // path ends without room
	noted notedEnds
}

const (
	tallyBits  = 11
	tallySlots = 1 << tallyBits
	// mostTallied is how many paths a tally has room for. So at least half of its slots are free.
	mostTallied = tallySlots / 2
)

// A tallied path is one of a target. A free slot has no times.
type tallied struct {
	path   U
	target uint32 // with ofCounted, if it is of a cold function: these are counted, too
	times  uint32
}

const ofCounted = 1 << 31

// The levels of functions.
const (
	countedLevel = 0
	sampledLevel = 1
)

// level returns the level of the function.
//
//go:norace
func (e *tallied) level() U {
	if e.target&ofCounted != 0 {
		return countedLevel
	}
	return sampledLevel
}

// notedEnds are the last path ends, if they are wanted.
type notedEnds struct {
	wanted bool
	n      int // how many there were
	list   [mostNoted]struct {
		target uint32
		path   U
	}
}

// mostNoted is more than a record has of functions that are not inlined.
const mostNoted = 8

// empty forgets all.
//
//go:norace
func (t *Tally) empty() {
	for _, i := range t.used[:t.n] {
		t.slots[i].times = 0
	}
	t.n, t.lost = 0, 0
}

// add adds a path end.
//
//go:norace
func (t *Tally) add(target uint32, path U) {
	if t.noted.wanted && target&ofCounted == 0 {
		t.noted.add(target, path)
	}
	const a, b = 0x9e37_79b9_7f4a_7c15, 0xc4ce_b9fe_1a85_ec53
	for i := (path*b + U(target)) * a >> (64 - tallyBits); ; i++ {
		s := &t.slots[i%tallySlots]
		if s.times == 0 {
			if t.n == mostTallied {
				t.lost++
				return
			}
			s.path, s.target = path, target
			t.used[t.n] = uint16(i % tallySlots)
			t.n++
		} else if s.path != path || s.target != target {
			continue
		}
		s.times++
		return
	}
}

//go:norace
func (e *notedEnds) add(target uint32, path U) {
	last := &e.list[e.n%mostNoted]
	last.target, last.path = target, path
	e.n++
}

// last returns the last of a function that is not inlined, whose path is known.
//
//go:norace
func (e *notedEnds) last(targets []Target) (target uint32, path U, ok bool) {
	for k := e.n - 1; k >= max(e.n-mostNoted, 0); k-- {
		end := &e.list[k%mostNoted]
		if of := &targets[end.target]; of.At&Inlined == 0 && end.path < of.Paths {
			return end.target, end.path, true
		}
	}
	return 0, 0, false
}
