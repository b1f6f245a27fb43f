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
		fallen := Fall(list, touched, bound, 1_000_000)
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
		if bitsOf(uint64(most)) > bitsOf(uint64(least)) {
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

// TestAlike has sites that are all alike, and more than can be counted: a part of them stays, wherever it is.
func TestAlike(t *testing.T) {
	const n, each, bound = 1000, 100, 2000
	list := make([]Site, n)
	var touched []uint32
	for i := range list {
		list[i].Ends = each
		touched = append(touched, uint32(i))
	}
	if stay := n - Fall(list, touched, bound, 1_000_000); stay < bound/each*3/4 || stay > bound/each {
		t.Errorf("%d of %d sites with %d path ends are counted, the bound is %d", stay, n, each, bound)
	}
	for quarter := range 4 {
		if !slices.ContainsFunc(list[quarter*n/4:(quarter+1)*n/4], func(s Site) bool { return s.Level == 0 }) {
			t.Errorf("all in quarter %d are sampled", quarter)
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
	if fallen := Fall(list, touched, 100, 1_000_000); fallen != 0 {
		t.Errorf("%d sites fell", fallen)
	}
}
