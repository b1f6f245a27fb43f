package pathlog

import "unsafe"

// Activations, and where the states of their targets are. These are behind each other, in the order in which activations were
// seen first. Most end in the contrary order, so what is free is mostly at the end.

// A Frame is an activation.
type Frame struct {
	address uint32 // of the frame
	target  uint32 // the function's first
	n       uint32 // how many it has
	at      uint32 // where their states begin; gone if the activation has ended
	burst   uint32 // in which it is of use, and all others are free
	open    uint32 // of the paths that Open counts
}

const (
	gone = ^uint32(0)
	none = -1
)

// An arena says which states are in use. In front of the states of an activation there is one more, which says where they belong.
// Its sum is the frame's index, its told is where the activation before has that state, and its node is how many states follow.
// It is lost if they are free.
type arena struct {
	top, last uint32 // behind the last activation's, and where these begin with that one
	free      uint32 // in front of top
}

// frame returns the number of the activation of a record, none if there is no room.
//
//go:norace
func (d *Decoder) frame(address uint32, x *Site) int {
	var free *Frame
	mask := uint32(len(d.Frames) - 1)
	for i := mixFrame(address, x.Target) & mask; ; i = (i + 1) & mask {
		f := &d.Frames[i]
		switch {
		case f.burst != d.burst:
			if free == nil {
				if d.used >= len(d.Frames)/4*3 {
					return none
				}
				d.used++
				free = f
			}
			*free = Frame{address: address, target: x.Target, n: uint32(x.Targets), at: gone, burst: d.burst}
			if !d.allot(free) {
				return none // it stays as one that has ended
			}
			return int(d.index(free))
		case f.at == gone:
			if free == nil {
				free = f
			}
		case f.address == address && f.target == x.Target:
			return int(i)
		}
	}
}

// mixFrame spreads keys: Fibonacci hashing, of which the upper bits are best.
//
//go:norace
func mixFrame(address, target uint32) uint32 {
	return uint32((U(target)<<32 | U(address)) * 0x9e37_79b9_7f4a_7c15 >> 32)
}

// allot gives an activation its states, and reports whether there was room. Of none a beginning is known.
//
//go:norace
func (d *Decoder) allot(f *Frame) bool {
	a := &d.arena
	if a.top+f.n+1 > uint32(len(d.States)) {
		if a.free < uint32(len(d.States)/4) {
			return false
		}
		if d.compact(); a.top+f.n+1 > uint32(len(d.States)) {
			return false
		}
	}
	d.States[a.top] = State{sum: d.index(f), told: U(a.last), node: int32(f.n)}
	a.last = a.top
	f.at = a.top + 1
	a.top = f.at + f.n
	clear(d.States[f.at:a.top])
	return true
}

//go:norace
func (d *Decoder) index(f *Frame) U {
	return U(uintptr(unsafe.Pointer(f))-uintptr(unsafe.Pointer(&d.Frames[0]))) / U(unsafe.Sizeof(*f))
}

// leave ends an activation.
//
//go:norace
func (d *Decoder) leave(f *Frame) {
	d.release(f)
	d.drop(f)
}

// release frees the states of an activation.
//
//go:norace
func (d *Decoder) release(f *Frame) {
	d.Open -= int(f.open)
	f.open = 0
	a := &d.arena
	d.States[f.at-1].lost = true
	a.free += f.n + 1
	for a.top > 0 && d.States[a.last].lost {
		a.free -= a.top - a.last
		a.top, a.last = a.last, uint32(d.States[a.last].told)
	}
}

// drop takes an activation out of the table. If what follows there is free, nothing is looked for past it.
//
//go:norace
func (d *Decoder) drop(f *Frame) {
	f.at = gone
	d.last = none
	mask := uint32(len(d.Frames) - 1)
	at := uint32(d.index(f))
	if d.Frames[(at+1)&mask].burst == d.burst {
		return
	}
	for ; d.Frames[at].burst == d.burst && d.Frames[at].at == gone; at = (at - 1) & mask {
		d.Frames[at].burst = d.burst - 1
		d.used--
	}
}

// compact moves states to where others are free.
//
//go:norace
func (d *Decoder) compact() {
	a := &d.arena
	to, last := uint32(0), uint32(0)
	for from := uint32(0); from < a.top; {
		head := &d.States[from]
		n := uint32(head.node) + 1
		if !head.lost {
			d.Frames[head.sum].at = to + 1
			copy(d.States[to:to+n], d.States[from:from+n])
			d.States[to].told = U(last)
			last = to
			to += n
		}
		from += n
	}
	*a = arena{top: to, last: last}
}

// Move has the frames of a stack that was copied go with it. Moved has room for these. It returns how many there are, and for how
// many there was no room any more. It goes through the states and not through the table, nearly all of which is free: programs
// with many goroutines copy stacks all the time.
//
//go:norace
func (d *Decoder) Move(to, from, size uint32, moved []Frame) (n, dropped int) {
	if d.arena.top == 0 {
		return 0, 0
	}
	for at, first := d.arena.last, false; !first; {
		head := d.States[at]
		at, first = uint32(head.told), at == 0
		if head.lost {
			continue
		}
		f := &d.Frames[head.sum]
		if f.address-from >= size {
			continue
		}
		if n == len(moved) {
			d.Lost++
			d.leave(f)
			continue
		}
		moved[n] = *f
		n++
		d.drop(f)
	}
	for _, m := range moved[:n] {
		m.address += to - from
		if !d.put(&m) {
			dropped++
		}
	}
	return n, dropped
}

// put puts an activation into the table whose states are there, and reports whether there was room. Whatever has been in its
// place was another one.
//
//go:norace
func (d *Decoder) put(m *Frame) bool {
	var free *Frame
	mask := uint32(len(d.Frames) - 1)
	i := mixFrame(m.address, m.target) & mask
	for ; d.Frames[i].burst == d.burst; i = (i + 1) & mask {
		f := &d.Frames[i]
		if f.at == gone {
			if free == nil {
				free = f
			}
		} else if f.address == m.address && f.target == m.target {
			d.release(f)
			free = f
			break
		}
	}
	if free == nil && d.used >= len(d.Frames)/4*3 {
		d.Lost++
		d.release(m)
		return false
	}
	if free == nil {
		free = &d.Frames[i]
		d.used++
	}
	*free = *m
	free.burst = d.burst
	d.States[m.at-1].sum = d.index(free)
	return true
}

// Target returns the first target of the activation's function.
//
//go:norace
func (f *Frame) Target() uint32 { return f.target }

// Activations returns how many activations have a place in the table.
//
//go:norace
func (d *Decoder) Activations() int { return d.used }

// Used returns how many states were taken, also for activations that have ended.
//
//go:norace
func (d *Decoder) Used() int { return int(d.arena.top) }

// HasRoom reports whether so many more activations and states have room.
//
//go:norace
func (d *Decoder) HasRoom(more int) bool {
	return d.Used()+more <= len(d.States) && d.used+more < len(d.Frames)/4*3
}

// Live returns how many states those activations need that have not ended and whose target is wanted.
//
//go:norace
func (d *Decoder) Live(wanted func(target uint32) bool) (states int) {
	for i := range d.Frames {
		if f := &d.Frames[i]; f.burst == d.burst && f.at != gone && wanted(f.target) {
			states += int(f.n) + 1
		}
	}
	return states
}

// Take has the decoder, whose tables are new, go on with what another one had of the wanted targets.
//
//go:norace
func (d *Decoder) Take(old *Decoder, wanted func(target uint32) bool) {
	d.used, d.last, d.arena = 0, none, arena{}
	for i := range old.Frames {
		f := &old.Frames[i]
		if f.burst != old.burst || f.at == gone || !wanted(f.target) {
			continue
		}
		if k := d.frame(f.address, &Site{Target: f.target, Targets: uint16(f.n)}); k != none {
			to := &d.Frames[k]
			to.open = f.open
			copy(d.States[to.at:to.at+to.n], old.States[f.at:f.at+f.n])
		}
	}
}
