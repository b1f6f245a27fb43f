package sampler

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestFall has sites be counted until their path ends are more than the bound, and makes sure that the rarest stay.
func TestFall(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		list := make([]Site, 1+random.IntN(100))
		var touched []uint32
		total := uint64(0)
		for i := range list {
			if random.IntN(3) > 0 {
				list[i].Ends = 1 + uint32(random.Uint64N(1<<random.UintN(16)))
				total += uint64(list[i].Ends)
				touched = append(touched, uint32(i))
			}
		}
		bound := 1000 + random.Uint64N(20_000)
		before := slices.Sorted(slices.Values(touched))
		fallen := Fall(list, touched, bound)
		if !slices.Equal(before, slices.Sorted(slices.Values(touched))) {
			t.Fatal("sites are missing, or there twice")
		}
		left, least, most := uint64(0), ^uint32(0), uint32(0)
		for i, site := range touched {
			s := list[site]
			if s.Level > 0 != (i < fallen) {
				t.Fatalf("site %d of %d, of which %d have fallen: %+v", i, len(touched), fallen, s)
			}
			if s.Level > 0 {
				least = min(least, s.Ends)
			} else {
				left += uint64(s.Ends)
				most = max(most, s.Ends)
			}
		}
		if left > bound {
			t.Errorf("%d path ends are counted, with a bound of %d", left, bound)
		}
		if most >= least {
			t.Errorf("a site with %d path ends is sampled, one with %d is not", least, most)
		}
		if total <= bound && fallen > 0 {
			t.Errorf("%d sites fell for %d path ends, with a bound of %d", fallen, total, bound)
		}
		Settle(list, touched)
		for i := range list {
			if list[i].Ends != 0 {
				t.Errorf("site %d has %d path ends at the beginning of a tick", i, list[i].Ends)
			}
		}
	}
}

// TestFewFall has more sites with a path end or two than the bound allows for: to sample these saves nothing.
func TestFewFall(t *testing.T) {
	list := make([]Site, 1000)
	var touched []uint32
	for i := range list {
		list[i].Ends = 2
		touched = append(touched, uint32(i))
	}
	if fallen := Fall(list, touched, 100); fallen != 0 {
		t.Errorf("%d sites fell", fallen)
	}
}

// TestRise has a sampled site be counted again after it has not been seen, later each time that it falls.
func TestRise(t *testing.T) {
	list := []Site{{}}
	for fall := range 12 {
		list[0].Ends = 1 << 20
		if Fall(list, []uint32{0}, 1000) != 1 {
			t.Fatal("it does not fall")
		}
		list[0].Rise(false)
		list[0].Rise(true)
		windows := 1
		for ; !list[0].Rise(false); windows++ {
		}
		if want := patience << min(fall, mostFalls-1); windows != want {
			t.Errorf("after fall %d: counted again after %d windows, want %d", fall, windows, want)
		}
	}
}

// TestSink has sites of all frequencies come to the level that is theirs.
func TestSink(t *testing.T) {
	for _, test := range []struct {
		perSecond uint64
		level     uint8
	}{{100_000, 1}, {2_900_000, 1}, {3_100_000, 2}, {59_000_000, 2}, {61_000_000, 3}, {2_000_000_000, 3}} {
		s := Site{Level: 1}
		for tick := range 12 {
			level := uint8(tick%Highest + 1)
			if level < s.Level {
				continue // it is not armed
			}
			length := WindowLength(level)
			s.Ends = uint32(test.perSecond * length / 1_000_000_000)
			s.Sink(level, length)
		}
		if s.Level != test.level {
			t.Errorf("%d path ends a second: level %d, want %d", test.perSecond, s.Level, test.level)
		}
	}
}
