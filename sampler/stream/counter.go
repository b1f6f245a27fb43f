package stream

// Counter is C in front of a sampler, CX (STRAT 3.1). Messages are those of X, and the count of each is the number of events
// since the last message. So it knows how many events there have been, as P_r does by itself.
type Counter struct {
	sampler Compressor
	since   uint64
}

// NewCounter returns CX. X must return the event that it has taken, as samplers do, and not an earlier one.
func NewCounter(x Compressor) *Counter { return &Counter{sampler: x} }

// Event takes the next event. The count of a message is that of the events since the last message, with t.
//
//go:norace
func (c *Counter) Event(t Tuple) (Tuple, uint64) {
	c.since++
	t, n := c.sampler.Event(t)
	if n != 0 {
		n, c.since = c.since, 0
	}
	return t, n
}

// Held returns how many events there have been since the last message.
func (c *Counter) Held() (events int64, exact bool) { return int64(c.since), true }
