package callbacks

import "testing"

// Test is what leads into copies.
func Test(t *testing.T) {
	first := All(300)
	for range 20 {
		if sum := All(300); sum != first {
			t.Errorf("%d, and was %d", sum, first)
		}
	}
}
