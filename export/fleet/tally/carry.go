package tally

import "fmt"

// A Carry makes deltas of tallies of one run, as these grow, so that none is negative and they add up to the last one. What
// an estimate has lost is carried over: the deltas that follow are less by that.
type Carry struct {
	sent *Tally // the sum of all deltas
}

// Next returns the delta from what was returned before to now.
func (c *Carry) Next(now *Tally) (*Tally, error) {
	if c.sent == nil {
		c.sent = &Tally{}
	}
	delta, err := now.Sub(c.sent)
	if err != nil {
		return nil, err
	}
	if err := c.sent.Add(delta); err != nil {
		return nil, fmt.Errorf("deltas of one run: %w", err)
	}
	return delta, nil
}

// Restore has a carry go on where another one had sent so much of the same run.
func (c *Carry) Restore(sent *Tally) { c.sent = sent }

// Sent returns the sum of all deltas.
func (c *Carry) Sent() *Tally { return c.sent }

// Over returns how many executions Sent has more than a tally of the run: what estimates have lost and not gained again. Over
// returns 0 if all counts are executions.
func (c *Carry) Over(now *Tally) (n uint64) {
	over, err := c.sent.Sub(now)
	if err != nil {
		return 0
	}
	for i := range over.Packages {
		for _, e := range over.Packages[i].Counters {
			n += e.N
		}
	}
	return n
}
