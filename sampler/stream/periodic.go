package stream

// Periodic is P_r (STRAT 3.1): every r-th event is selected. The first interval may be another one.
type Periodic struct {
	rate  uint32
	left  uint32 // events until the next that is selected
	start uint32 // events that the first message stands for without there having been any
}

// NewPeriodic returns P_r, whose first message comes after first events, 1 to r: STRAT has r.
func NewPeriodic(rate, first uint32) *Periodic { return &Periodic{rate, first, rate - first} }

// Event takes the next event. The count of a message is r.
//
//go:norace
func (p *Periodic) Event(t Tuple) (Tuple, uint64) {
	p.left--
	if p.left != 0 {
		return none()
	}
	p.left = p.rate
	return t, uint64(p.rate)
}

// Held returns how many events there have been since the last message, or since the beginning. The events that the first message
// stands for too many are taken off.
func (p *Periodic) Held() (events int64, exact bool) {
	return int64(p.rate) - int64(p.left) - int64(p.start), true
}
