package stream

// A Tuple is an event, but for where in the stream it is.
type Tuple struct {
	Site  uint64
	Value uint64
}

// A Compressor makes a stream of messages of a stream of events.
type Compressor interface {
	// Event takes the next event. It returns a message: a tuple, which is t or an earlier one, and how many events it stands for.
	// If that is 0, there is no message.
	Event(t Tuple) (Tuple, uint64)

	// Held returns how many events have been taken that no message stands for; where the first interval is drawn it can be
	// negative. It is exact if messages and what is held add up to the number of events. Otherwise it is 0.
	Held() (events int64, exact bool)
}

// none is no message.
//
//go:norace
func none() (Tuple, uint64) { return Tuple{}, 0 }

// A Pipeline is one compressor behind another one, which may be missing (STRAT 3.4).
type Pipeline struct {
	First  Compressor
	Second *Table // or nil
}

// Event takes the next event, and returns a message as Compressor has it.
//
//go:norace
func (p *Pipeline) Event(t Tuple) (Tuple, uint64) {
	t, n := p.First.Event(t)
	if n == 0 || p.Second == nil {
		return t, n
	}
	return p.Second.Message(t, n)
}

// Held returns what both hold.
func (p *Pipeline) Held() (events int64, exact bool) {
	events, exact = p.First.Held()
	if p.Second != nil && exact {
		more, _ := p.Second.Held()
		events += more
	}
	return events, exact
}

// Flush returns the messages that are held in full, one each time, and no message when there are no more. Events that are
// held without their tuple stay.
//
//go:norace
func (p *Pipeline) Flush() (Tuple, uint64) {
	if p.Second == nil {
		return none()
	}
	return p.Second.Flush()
}
