package stream

// Table is A_k (STRAT 3.4): an associative table of k tuples, which adds up the counts of each. It loses nothing. A tuple's sum
// becomes a message when another tuple needs its place, or when it reaches a maximum. STRAT does not say which one has to go:
// here it is the one that was seen least recently.
type Table struct {
	tuples []Tuple // the one seen last first
	counts []uint64
	most   uint64
	used   int
}

// NewTable returns A_k, whose sums become messages at most or more. It searches its tuples one after the other: k is to be small.
func NewTable(k int, most uint64) *Table {
	return &Table{tuples: make([]Tuple, k), counts: make([]uint64, k), most: most}
}

// Event takes the next event.
//
//go:norace
func (a *Table) Event(t Tuple) (Tuple, uint64) { return a.Message(t, 1) }

// Message takes a message of another compressor: n occurrences of t.
//
//go:norace
func (a *Table) Message(t Tuple, n uint64) (Tuple, uint64) {
	i := 0
	for i < a.used && a.tuples[i] != t {
		i++
	}
	if i < a.used {
		n += a.counts[i]
		if n < a.most {
			a.toFront(i, t, n)
			return none()
		}
		a.remove(i)
		return t, n
	}
	if n >= a.most {
		return t, n
	}
	if a.used < len(a.tuples) {
		a.used++
		a.toFront(i, t, n)
		return none()
	}
	last := a.used - 1
	old, count := a.tuples[last], a.counts[last]
	a.toFront(last, t, n)
	return old, count
}

// toFront overwrites entry i, and makes it the first.
//
//go:norace
func (a *Table) toFront(i int, t Tuple, n uint64) {
	for ; i > 0; i-- {
		a.tuples[i], a.counts[i] = a.tuples[i-1], a.counts[i-1]
	}
	a.tuples[0], a.counts[0] = t, n
}

//go:norace
func (a *Table) remove(i int) {
	a.used--
	for ; i < a.used; i++ {
		a.tuples[i], a.counts[i] = a.tuples[i+1], a.counts[i+1]
	}
}

// Held returns the sum of what is in the table.
func (a *Table) Held() (events int64, exact bool) {
	for _, n := range a.counts[:a.used] {
		events += int64(n)
	}
	return events, true
}

// Flush takes a tuple out of the table, and returns its message; no message when the table is empty.
//
//go:norace
func (a *Table) Flush() (Tuple, uint64) {
	if a.used == 0 {
		return none()
	}
	a.used--
	return a.tuples[a.used], a.counts[a.used]
}
