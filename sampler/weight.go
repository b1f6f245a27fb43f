package sampler

// One is the unit of weights: a sample of weight One stands for one execution.
const One = 1 << 10

// Weight returns how many executions each of taken samples stands for, in units of 1/[One]. A window of CPU time saw ends
// path ends, and was sampled to stand for an interval of it. Times are in one unit, any.
//
//go:norace
func Weight(ends, taken, window, interval uint64) uint64 {
	if taken == 0 {
		return 0
	}
	w := float64(ends) / float64(taken)
	if window > 0 && interval > window {
		w *= float64(interval) / float64(window)
	}
	return uint64(w*One + 0.5)
}

// A Backlog is what windows have had whose samples stand for nothing, since they left the program next to no time. How little,
// nobody knows. On a busy machine a thread may not run until the signal at the end of its window is there. It is empty when the
// next window has been weighed.
type Backlog struct{ ends, net, interval uint64 }

// leastNet is the least time that a window has to leave the program for its samples to stand for something, in ns.
const leastNet = Shortest / 8

// PutOff reports whether a window left the program too little time, of net ns. What the window stands for is kept for the
// next one then.
//
//go:norace
func (b *Backlog) PutOff(ends, net, interval uint64) bool {
	if net >= leastNet {
		return false
	}
	b.ends += ends
	b.net += net
	b.interval += interval
	return true
}

// Stretch returns what a sample stands for in an interval that stands for windows that were put off, too, and of which all is
// known.
//
//go:norace
func (b *Backlog) Stretch(weight, interval uint64) uint64 {
	if b.interval == 0 || interval == 0 {
		return weight
	}
	return uint64(float64(weight) * float64(interval+b.interval) / float64(interval))
}

// Weight is the function of this name for a window that stands for those that were put off, too.
//
//go:norace
func (b *Backlog) Weight(ends, taken, net, interval uint64) uint64 {
	return Weight(ends+b.ends, taken, net+b.net, interval+b.interval)
}
