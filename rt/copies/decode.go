package copies

import "unsafe"

// A Decoder counts the paths that logs tell of. An activation is known by where its frame is. Its path is counted if the log has
// the path's beginning: that of the activation, or the end of the path before.
//
// It allocates nothing, and may be used in signal handlers.
type Decoder struct {
	Sites    []Site
	Ops      []Op
	Steps    []Step
	Targets  []Target
	Looks    []Look
	Cases    []Case
	Ways     []Way
	Counters []U
	Doubts   []U // how often each left a path unknown whose beginning was seen

	States []State // a hash table, whose size is a power of two
	Lost   U       // records without room in it, and what is no record

	// Ended, if it is not nil, is told of each path that was seen from its beginning, in place of Counters.
	Ended func(target uint32, path U)
	// Draining tells that paths that begin are not counted any more.
	Draining bool
	// Begun is how many activations have begun, by target, while paths that begin are counted. Nil has nobody count them.
	Begun []uint32
	// Open is how many paths have begun that are to be counted, and have not ended.
	Open int

	burst uint32 // the number of it
	used  int
}

// A State is the sum of a target in an activation.
type State struct {
	key   U      // the frame and the target; gone if it was moved
	sum   U      // if it is known
	told  U      // by looks since the path began: a byte for each block
	burst uint32 // in which it is of use, and all others are free
	node  int32  // of the plan, where a machine block has several
	seen  bool   // the path's beginning
	lost  bool   // the path is in doubt

	marked  bool // there was evidence of the call
	watched bool // since the activation began, or the call was passed for the last time
}

const gone = ^U(0)

// Forget begins a burst.
//
//go:norace
func (d *Decoder) Forget() { d.burst, d.used, d.Open, d.Draining = d.burst+1, 0, 0, false }

// Cut ends all paths that are under way: they are not known.
//
//go:norace
func (d *Decoder) Cut() {
	for i := 0; i < len(d.States) && d.Open > 0; i++ {
		if s := &d.States[i]; s.burst == d.burst && s.seen {
			d.unknown(uint32(s.key), s)
		}
	}
}

// saw notes whether the path that is under way is to be counted.
//
//go:norace
func (d *Decoder) saw(s *State, seen bool) {
	switch {
	case d.Targets[uint32(s.key)].Paths == 0: // nobody counts it
	case seen && !s.seen:
		d.Open++
	case s.seen && !seen:
		d.Open--
	}
	s.seen = seen
}

// unknown ends a path that is not known, if it was seen from its beginning.
//
//go:norace
func (d *Decoder) unknown(target uint32, s *State) {
	if s.seen {
		d.miss(target)
	}
	d.saw(s, false)
}

// Decode counts what a log tells.
//
//go:norace
func (d *Decoder) Decode(log []Record) {
	for i := 0; i < len(log); i++ {
		r := &log[i]
		if int(r.Site) >= len(d.Sites) {
			d.Lost++
			continue
		}
		s := &d.Sites[r.Site]
		var value U
		if s.Value&HasValue != 0 {
			if i++; i == len(log) {
				d.Lost++
				return
			}
			value = U(log[i].SP)<<32 | U(log[i].Site)
		}
		for k := s.First; k < s.First+s.N; k++ {
			d.do(r.SP+s.Depth, &d.Ops[k], value)
		}
	}
}

//go:norace
func (d *Decoder) do(frame uint32, o *Op, value U) {
	if o.Kind == Also || o.Kind == Unless {
		d.besides(frame, o)
		return
	}
	s := d.state(U(frame)<<32 | U(o.Target))
	if s == nil {
		d.Lost++
		return
	}
	switch o.Kind {
	case Stepped:
		d.step(s, o)
	case Done:
		d.free(s)
	case Looked:
		d.look(s, &d.Looks[o.Add], value)
	default:
		d.change(s, o)
	}
}

// free frees a state. If what follows in the table is free, nothing is looked for past it.
//
//go:norace
func (d *Decoder) free(s *State) {
	d.saw(s, false)
	s.key = gone
	mask := U(len(d.States) - 1)
	at := (U(uintptr(unsafe.Pointer(s))-uintptr(unsafe.Pointer(&d.States[0]))) / U(unsafe.Sizeof(*s))) & mask
	if d.States[(at+1)&mask].burst == d.burst {
		return
	}
	for ; d.States[at].burst == d.burst && d.States[at].key == gone; at = (at - 1) & mask {
		d.States[at].burst = d.burst - 1
		d.used--
	}
}

// step does what happens in the node that the state is in.
//
//go:norace
func (d *Decoder) step(s *State, o *Op) {
	for k := o.Add; k < o.Add+o.Next; k++ {
		t := &d.Steps[k]
		if t.From != AnyNode && t.From != s.node {
			continue
		}
		for i := t.First; i < t.First+t.N; i++ {
			d.change(s, &d.Ops[i])
		}
		s.node = t.To
		return
	}
	d.unknown(o.Target, s)
	s.node = AnyNode
}

//go:norace
func (d *Decoder) change(s *State, o *Op) {
	switch o.Kind {
	case Begin:
		d.saw(s, !d.Draining)
		if !d.Draining && int(o.Target) < len(d.Begun) {
			d.Begun[o.Target]++
		}
		s.sum, s.told, s.lost, s.node = o.Next, 0, false, int32(o.Add)
		s.marked, s.watched = false, true
	case Add:
		s.sum += o.Add
	case End:
		d.end(s, o)
		d.saw(s, !d.Draining)
		s.sum, s.told, s.lost = o.Next, 0, false
	case Doubt:
		d.doubt(s, o)
		s.lost = true
	case Choose:
		d.choose(s, o)
	case Also, Unless:
		d.besides(uint32(s.key>>32), o)
	case Marked:
		s.marked = true
	}
}

// besides counts what is executed besides the paths of the target that the operation is of. It is known whatever the path is: the
// beginning of this one is here.
//
//go:norace
func (d *Decoder) besides(frame uint32, o *Op) {
	if o.Kind == Also {
		if !d.Draining {
			d.count(o.Target, o.Next)
		}
		return
	}
	s := d.state(U(frame)<<32 | U(o.Target))
	if s == nil {
		d.Lost++
		return
	}
	passed := s.watched && !s.marked
	s.marked, s.watched = false, true
	if first, n := uint32(o.Add), uint32(o.Add>>32); passed {
		for k := first; k < first+n; k++ {
			d.besides(frame, &d.Ops[k])
		}
	}
}

// count counts a path. A target without paths is followed for what is executed besides.
//
//go:norace
func (d *Decoder) count(target uint32, path U) {
	switch t := &d.Targets[target]; {
	case t.Paths == 0:
	case path >= t.Paths:
		d.Lost++
	case d.Ended != nil:
		d.Ended(target, path)
	default:
		d.Counters[t.At+path]++
	}
}

// end counts a path, if it was seen from its beginning.
//
//go:norace
func (d *Decoder) end(s *State, o *Op) {
	if s.seen && s.lost {
		d.miss(o.Target)
	} else if s.seen {
		d.count(o.Target, s.sum+o.Add)
	}
}

// miss counts a path that is not known.
//
//go:norace
func (d *Decoder) miss(target uint32) {
	if t := &d.Targets[target]; t.Paths > 0 && d.Ended != nil {
		d.Ended(target, t.Paths)
	}
}

// doubt counts a doubt, if somebody counts them.
//
//go:norace
func (d *Decoder) doubt(s *State, o *Op) {
	if s.seen && o.Next < U(len(d.Doubts)) {
		d.Doubts[o.Next]++
	}
}

// look notes what a value tells.
//
//go:norace
func (d *Decoder) look(s *State, l *Look, value U) {
	edge := U(l.Otherwise)
	for k := l.First; k < l.First+l.N; k++ {
		c := &d.Cases[k]
		if v := (value + c.Add) & c.Mask; c.Low <= v && v <= c.High {
			edge = c.Edge
			break
		}
	}
	s.told = s.told&^(0xff<<(8*l.Block)) | edge<<(8*l.Block)
}

// choose does what the one way does that agrees with looks. If there is not one, the path is in doubt. What was told of the
// blocks is of no use to the next choice.
//
//go:norace
func (d *Decoder) choose(s *State, o *Op) {
	first, n := uint32(o.Add), uint32(o.Add>>32)
	chosen, agree, about := first, 0, U(0)
	for k := first; k < first+n; k++ {
		w := &d.Ways[k]
		about |= w.Mask
		if agrees(s.told, w) {
			if agree++; agree == 1 {
				chosen = k
			}
		}
	}
	s.told &^= about
	if agree != 1 {
		d.doubt(s, o)
	}
	w := &d.Ways[chosen]
	for k := w.First; k < w.First+w.N; k++ {
		o := &d.Ops[k]
		s.lost = s.lost || agree != 1
		switch {
		case agree == 1 || o.Kind != Also && o.Kind != Unless:
			d.change(s, o)
		case o.Kind == Also && !d.Draining:
			d.miss(o.Target)
		}
	}
}

// agrees reports whether a way takes all edges that were told of blocks on it.
//
//go:norace
func agrees(told U, w *Way) bool {
	for shift := 0; shift < 8*MostBlocks; shift += 8 {
		edge := told >> shift & 0xff
		if edge != 0 && w.Mask>>shift&0xff != 0 && w.Want>>shift&0xff != edge {
			return false
		}
	}
	return true
}

// state returns the state of a key, nil if there is no room.
//
//go:norace
func (d *Decoder) state(key U) *State {
	var free *State
	mask := U(len(d.States) - 1)
	for i := mix(key) & mask; ; i = (i + 1) & mask {
		s := &d.States[i]
		switch {
		case s.burst != d.burst:
			if free == nil {
				if d.used >= len(d.States)/4*3 {
					return nil
				}
				d.used++
				free = s
			}
			*free = State{key: key, burst: d.burst, node: AnyNode}
			return free
		case s.key == key:
			return s
		case s.key == gone && free == nil:
			free = s
		}
	}
}

// Move has the frames of a stack that was copied go with it. Moved has room for the states of these. It returns how many there
// are, and for how many there was no room any more.
//
//go:norace
func (d *Decoder) Move(to, from, size uint32, moved []State) (n, dropped int) {
	for i := range d.States {
		s := &d.States[i]
		if s.burst != d.burst || s.key == gone || uint32(s.key>>32)-from >= size {
			continue
		}
		if n < len(moved) {
			moved[n] = *s
			n++
		} else {
			d.Lost++
		}
		d.saw(s, false)
		s.key = gone
	}
	for _, m := range moved[:n] {
		frame := uint32(m.key>>32) - from + to
		if s := d.state(U(frame)<<32 | m.key&(1<<32-1)); s != nil {
			d.saw(s, m.seen)
			m.key, m.burst = s.key, s.burst
			*s = m
		} else {
			dropped++
		}
	}
	return n, dropped
}

// mix spreads keys: Fibonacci hashing, of which the upper bits are best.
//
//go:norace
func mix(key U) U { return key * 0x9e37_79b9_7f4a_7c15 >> 32 }
