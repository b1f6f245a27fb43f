package sampler

import "testing"

// textOf returns n pages of ten sites each.
func textOf(n int) []Page {
	list := make([]Page, n)
	for i := range list {
		list[i] = Page{Address: uintptr(i) << 12, First: uint32(10 * i), Next: uint32(10*i + 10), Idle: Inactive}
	}
	return list
}

func TestPageOf(t *testing.T) {
	list := textOf(7)
	for site := range uint64(70) {
		if got := PageOf(list, site); got != &list[site/10] {
			t.Fatalf("site %d is said to be in page %#x", site, got.Address)
		}
	}
	if PageOf(list, 1<<40) != &list[6] {
		t.Error("a site that there is not is in no page of the list")
	}
}

// TestFewPages has all ticks be full where there are few pages, and all path ends stand for themselves.
func TestFewPages(t *testing.T) {
	var p Pages
	list := textOf(64)
	for range 100 {
		p.Choose(list)
		p.Arm(list)
		p.Age(list)
		for i := range list {
			if !list[i].Armed || p.Share(list, 5) != 1 {
				t.Fatal("not armed, or of more than one tick")
			}
		}
	}
}

// TestPages has path ends in two of many pages, one always and one now and then, and makes sure that what samples stand for is what there was.
func TestPages(t *testing.T) {
	var p Pages
	list := textOf(100)
	estimate, truth := 0.0, 0.0
	armed := 0
	const ticks = 80_000
	for tick := range ticks {
		p.Choose(list)
		p.Arm(list)
		for i := range list {
			if list[i].Armed {
				armed++
			}
		}
		p.Age(list)
		if !list[7].Armed && tick > 20 {
			t.Fatalf("tick %d: the page where paths always end is not armed", tick)
		}
		p.Seen(list, 75)
		if tick%257 == 0 { // of no part in common with the full ticks
			truth++
			if list[50].Armed {
				estimate += float64(p.Share(list, 505))
				p.Seen(list, 505)
			}
		}
	}
	if share := float64(armed) / ticks; share < 100.0/8 || share > 100.0/8+3 {
		t.Errorf("%.1f pages armed in the mean, of 100", share)
	}
	if estimate < 0.8*truth || estimate > 1.2*truth {
		t.Errorf("%v path ends, estimated as %v", truth, estimate)
	}
}

// TestSpread has what is chosen for ticks be spread evenly over its range.
func TestSpread(t *testing.T) {
	const ticks, parts = 10_000, 10
	for name, f := range map[string]func(tick uint64) uint64{
		"Later":  func(tick uint64) uint64 { return Later(tick, 4_000_000) - 1 },
		"Among":  func(tick uint64) uint64 { return Among(tick, 3_000_100, 100) },
		"Others": func(tick uint64) uint64 { return Others(tick, 1_000_000, 1000, 1<<40, 3_000_000) },
	} {
		var in [parts]int
		for tick := range uint64(ticks) {
			v := f(tick)
			if v >= 3_000_000 {
				t.Fatalf("%s: %d", name, v)
			}
			in[v*parts/3_000_000]++
		}
		for part, n := range in {
			if n < ticks/parts*9/10 || n > ticks/parts*11/10 {
				t.Errorf("%s: %d of %d in part %d", name, n, ticks, part)
			}
		}
	}
	if Among(5, 10, 10) != 0 {
		t.Error("samples are taken of more path ends than there are")
	}
}
