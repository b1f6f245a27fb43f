package sampled

import "testing"

// TestOfWindow has a log whose beginning a probe has undone. The path ends in it are then of no window, and not of one of 2^64
// path ends.
func TestOfWindow(t *testing.T) {
	s := state{first: 300}
	for ends, want := range map[U]U{300: 0, 310: 10, 5: 0, 0: 0} {
		if got := s.ofWindow(ends); got != want {
			t.Errorf("%d path ends in the log: %d of the window, want %d", ends, got, want)
		}
	}
}
