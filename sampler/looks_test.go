package sampler

import "testing"

// weigh weighs all looks, and returns what they stand for. What is left of the executions is in not.
func weigh(l *Looks, not map[uint64]uint64) map[uint64]uint64 {
	weights := make(map[uint64]uint64)
	for i := range l.Len() {
		look := l.At(i)
		w := l.Weigh(i, not[look.Site], true)
		not[look.Site] -= min(w, not[look.Site])
		weights[look.Path] += w
	}
	l.Weighed()
	return weights
}

// TestLooks has a site with a thousand times the path ends of another: both have their looks, and these stand for all.
func TestLooks(t *testing.T) {
	var l Looks
	const hot, rare = 1, 2
	not := make(map[uint64]uint64) // executions of which no look stands
	total := make(map[uint64]uint64)
	for range 100 {
		l.Begin()
		for _, site := range []uint64{hot, hot, hot, hot, hot, rare} {
			if l.Wants(site) {
				l.Add(Look{Path: site * 10, Site: site})
			}
		}
		if l.Len() != 2 {
			t.Fatalf("%d looks at two sites", l.Len())
		}
		not[hot] += 100_000
		not[rare] += 100
		for path, w := range weigh(&l, not) {
			total[path] += w
		}
	}
	if total[10] != 10_000_000 || total[20] != 10_000 {
		t.Errorf("they stand for %v", total)
	}
}

// TestLooksWait has looks between two estimates, which share what the second says.
func TestLooksWait(t *testing.T) {
	var l Looks
	not := map[uint64]uint64{}
	for path := range uint64(3) {
		l.Begin()
		l.Add(Look{Path: path, Site: 5})
		if got := weigh(&l, not); got[path] != 0 || l.Len() != int(path)+1 {
			t.Fatalf("stands for %v before there is an estimate, %d are waiting", got, l.Len())
		}
	}
	not[5] = 301
	if got := weigh(&l, not); got[0] != 100 || got[1] != 100 || got[2] != 101 || l.Len() != 0 {
		t.Errorf("three that share 301: %v, %d are waiting", got, l.Len())
	}
}

// TestLooksFull has looks of which there is never an estimate: there is room for others all the same.
func TestLooksFull(t *testing.T) {
	var l Looks
	for range 1000 {
		l.Begin()
		for site := range uint64(MostLooks + 1) {
			if want := site < MostLooks; l.Wants(site) != want {
				t.Fatalf("look %d wanted: %v, %d are waiting", site, !want, l.Len())
			}
			if site < MostLooks {
				l.Add(Look{site, site})
			}
		}
		weigh(&l, map[uint64]uint64{})
	}
	for i := range l.Len() {
		if l.Weigh(i, 0, false) == 0 {
			t.Errorf("look %d waits", i)
		}
	}
	if l.Weighed(); l.Len() != 0 {
		t.Errorf("%d are waiting", l.Len())
	}
}
