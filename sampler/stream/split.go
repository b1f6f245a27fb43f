package stream

// Splitter is H[X]_n (STRAT 3.2): a hash splits the stream into n substreams, and each has a compressor of its own. All events
// of a tuple are in one substream, which has few others, so what is selected there tells more.
type Splitter struct {
	hash Hash
	bits uint
	subs []Compressor
}

// NewSplitter returns H[X]_n for n = 2ᵇⁱᵗˢ. It calls x for each of the substreams.
func NewSplitter(hash Hash, bits uint, x func() Compressor) *Splitter {
	s := &Splitter{hash, bits, make([]Compressor, 1<<bits)}
	for i := range s.subs {
		s.subs[i] = x()
	}
	return s
}

// Event takes the next event.
//
//go:norace
func (s *Splitter) Event(t Tuple) (Tuple, uint64) {
	return s.subs[s.hash.Index(t, s.bits)].Event(t)
}

// Held returns what all substreams hold.
func (s *Splitter) Held() (events int64, exact bool) {
	for _, x := range s.subs {
		n, ok := x.Held()
		if !ok {
			return 0, false
		}
		events += n
	}
	return events, true
}

// Strata is H[P_r]_n as STRAT's figure 5 has it, with nothing but a counter for each stratum. It does what a Splitter with
// Periodic does. Counters count down, so that the rare case is the one in which a counter becomes 0.
type Strata struct {
	hash  Hash
	bits  uint
	rate  uint32
	left  []uint32 // events until the next that is selected, by stratum
	start int64    // events that the first messages stand for without there having been any
}

// NewStrata returns H[P_r]_n for n = 2ᵇⁱᵗˢ. First is called for the first interval of each stratum, 1 to r: STRAT has r.
func NewStrata(hash Hash, bits uint, rate uint32, first func() uint32) *Strata {
	s := &Strata{hash: hash, bits: bits, rate: rate, left: make([]uint32, 1<<bits)}
	for i := range s.left {
		s.left[i] = first()
		s.start += int64(rate - s.left[i])
	}
	return s
}

// Event takes the next event. The count of a message is r.
//
//go:norace
func (s *Strata) Event(t Tuple) (Tuple, uint64) {
	left := &s.left[s.hash.Index(t, s.bits)]
	*left--
	if *left != 0 {
		return none()
	}
	*left = s.rate
	return t, uint64(s.rate)
}

// Held returns how many events there have been in all strata since their last messages, less those that the first messages
// stand for too many.
func (s *Strata) Held() (events int64, exact bool) {
	for _, left := range s.left {
		events += int64(s.rate) - int64(left)
	}
	return events - s.start, true
}
