package sampler

import "testing"

// TestNetOfCopies has windows of 100 µs. What records and signals take is not the program's time, and there is always some left.
func TestNetOfCopies(t *testing.T) {
	for _, c := range []struct{ length, records, least, most uint64 }{
		{100_000, 0, 90_000, 99_000},
		{100_000, 10_000, 40_000, 50_000},
		{100_000, 100_000, 10_000, 20_000},
		{1_000, 10_000, 1, 200},
		{0, 0, 1, 1},
	} {
		if got := NetOfCopies(c.length, c.records); got < c.least || got > c.most {
			t.Errorf("%d records in %d ns leave %d, want %d to %d", c.records, c.length, got, c.least, c.most)
		}
	}
}
