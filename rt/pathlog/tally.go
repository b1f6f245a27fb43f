package pathlog

// A Tally says how often each path ended in a window. Most of some thousand path ends are of a few paths, so what a path
// costs when the window is weighed is paid once for each.
type Tally struct {
	Lost U // path ends without room

	slots [tallySlots]Tallied
	used  [mostTallied]uint16 // the slots that have a path
	n     int                 // of these
	noted notedEnds
}

const (
	tallyBits  = 11
	tallySlots = 1 << tallyBits
	// mostTallied is how many paths a tally has room for. So at least half of its slots are free.
	mostTallied = tallySlots / 2
)

// A Tallied path is one of a target. A free slot has no times.
type Tallied struct {
	Path   U
	Target uint32 // with OfCounted, if it is of a cold function: these are counted, too
	Times  uint32
}

// OfCounted is a bit of a Tallied path's target.
const OfCounted = 1 << 31

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

// Forget forgets all paths.
//
//go:norace
func (t *Tally) Forget() {
	for _, i := range t.used[:t.n] {
		t.slots[i].Times = 0
	}
	t.n, t.Lost = 0, 0
}

// Len returns how many paths there are.
//
//go:norace
func (t *Tally) Len() int { return t.n }

// At returns one of the paths.
//
//go:norace
func (t *Tally) At(i int) *Tallied { return &t.slots[t.used[i]%tallySlots] }

// Note has the last path ends be noted, until Noted.
//
//go:norace
func (t *Tally) Note() { t.noted.wanted, t.noted.n = true, 0 }

// Noted returns the last path end since Note that is of a function which is not inlined, and whose path is known.
//
//go:norace
func (t *Tally) Noted(targets []Target) (target uint32, path U, ok bool) {
	t.noted.wanted = false
	return t.noted.last(targets)
}

// Add adds a path end.
//
//go:norace
func (t *Tally) Add(target uint32, path U) { t.AddAll(target, path, 1) }

// AddAll adds some ends of a path.
//
//go:norace
func (t *Tally) AddAll(target uint32, path U, times uint32) {
	if t.noted.wanted && target&OfCounted == 0 {
		t.noted.add(target, path)
	}
	const a, b = 0x9e37_79b9_7f4a_7c15, 0xc4ce_b9fe_1a85_ec53
	for i := (path*b + U(target)) * a >> (64 - tallyBits); ; i++ {
		s := &t.slots[i%tallySlots]
		if s.Times == 0 {
			if t.n == mostTallied {
				t.Lost += U(times)
				return
			}
			s.Path, s.Target = path, target
			t.used[t.n] = uint16(i % tallySlots)
			t.n++
		} else if s.Path != path || s.Target != target {
			continue
		}
		s.Times += times
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
