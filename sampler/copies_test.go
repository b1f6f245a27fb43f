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
		{&usual, 100_000, 10_000, 38_000, 45_000},
		{&slow, 100_000, 10_000, 13_000, 18_000},
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
