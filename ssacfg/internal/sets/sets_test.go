package sets

import "testing"

func TestUnion(t *testing.T) {
	s := New(5)
	for _, test := range []struct {
		v, w   int
		joined bool
	}{{0, 1, true}, {2, 3, true}, {1, 0, false}, {1, 3, true}, {0, 2, false}, {4, 4, false}, {4, 2, true}, {0, 4, false}} {
		if got := s.Union(test.v, test.w); got != test.joined {
			t.Errorf("%d and %d: joined %v", test.v, test.w, got)
		}
	}
}
