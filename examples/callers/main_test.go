package main

import "testing"

func TestFind(t *testing.T) {
	h := &history{prices: []price{{0, 1}, {2, 2}, {4, 3}}}
	for _, test := range []struct{ day, want int }{{0, 0}, {1, 1}, {2, 1}, {3, 2}, {4, 2}, {0, 0}, {9, 3}, {1, 1}} {
		if got := h.find(test.day); got != test.want {
			t.Errorf("the first price from day %d on is that at %d, want %d", test.day, got, test.want)
		}
	}
}

func TestAverage(t *testing.T) {
	h := &history{prices: []price{{0, 1}, {1, 2}, {2, 6}}}
	if got := h.average(0, 3); got != 3 {
		t.Errorf("the mean of 1, 2 and 6 is %d", got)
	}
}
