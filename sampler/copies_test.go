package sampler

import "testing"

// TestDecoding has windows of 100 µs. What records and signals take is not the program's time, and there is always some left.
// Records take the more the longer it takes to decode them.
func TestDecoding(t *testing.T) {
	var usual, slow Decoding
	for range 100 {
		usual.Took(10_000, 1_000)
		slow.Took(15_000, 1_000)
	}
	for _, c := range []struct {
		d                            *Decoding
		length, records, least, most uint64
	}{
		{&usual, 100_000, 0, 90_000, 99_000},
		{&usual, 100_000, 10, 90_000, 99_000},
		{&usual, 100_000, 10_000, 22_000, 29_000},
		{&slow, 100_000, 10_000, 7_000, 11_000},
		{&usual, 100_000, 50_000, 35_000, 45_000}, // less than these records take
		{new(Decoding), 100_000, 1_000, 80_000, 99_000},
		{&usual, 0, 0, 1, 1},
		{&usual, 0, 1, 1, 1},
	} {
		if got := c.d.Net(c.length, c.records); got < c.least || got > c.most {
			t.Errorf("%d records in %d ns leave %d, want %d to %d", c.records, c.length, got, c.least, c.most)
		}
	}
}

// TestAllowance has functions use their part of the budget, less than it, and more.
func TestAllowance(t *testing.T) {
	g := Governor{Budget: 0.01, Period: 10_000_000}
	const tick = 1000 // 20 µs of 10 ms
	var a Allowance
	renew := func(time uint64, waits bool) {
		a.Earn(g.ColdBound(time, 20, waits), g.ColdBound(g.Between(), 20, waits))
	}
	renew(0, false)
	a.Advance(4 * tick)
	if a.Left() != 4*tick {
		t.Fatalf("%d records at first, want %d", a.Left(), 4*tick)
	}
	a.Spent(4 * tick)
	renew(g.Period/2, false)
	if a.Left() != tick/2 {
		t.Errorf("%d records after half a tick, want %d", a.Left(), tick/2)
	}
	for range 20 { // what is not used is left for some ticks
		renew(g.Period, false)
	}
	if a.Left() != allowed*tick {
		t.Errorf("%d records after ticks without any, want %d", a.Left(), allowed*tick)
	}
	all := uint64(0)
	for range 100 { // whoever takes all there are takes little more than the budget's part in the mean
		all += a.Left()
		a.Spent(a.Left())
		renew(g.Period, false)
	}
	if all > 110*tick {
		t.Errorf("%d records in 100 ticks, want some %d", all, 100*tick)
	}
	a.Spent(1 << 40)
	if a.Left() != tick/4 {
		t.Errorf("%d records after too many, want %d", a.Left(), tick/4)
	}
	for range 20 {
		renew(g.Period, true)
	}
	if a.Left() != allowed*2500 {
		t.Errorf("%d records where the program waits", a.Left())
	}

	// A tick that was dear has the next one come late. That is no reason for more at once.
	g.Strict = true
	g.Spent(50_000_000, g.Period, Default)
	a = Allowance{}
	renew(g.Period, false)
	if between := g.ColdBound(mostBetween, 20, false); g.Interval() < 20*mostBetween || a.Left() > between {
		t.Errorf("%d records in %d ns where ticks come after %d ns, want no more than %d", a.Left(), g.Period, g.Interval(), between)
	}
}
