package auditwatch

import (
	"slices"
	"testing"
)

// TestCopies: functions of one name are copies, in whatever order they come.
func TestCopies(t *testing.T) {
	c := copiesOf([]string{"F", "F at 1", "F at 1", "F"})
	if want := []string{"F", "F at 1"}; !slices.Equal(c.names, want) {
		t.Errorf("versions %q, want %q", c.names, want)
	}
	if want := []place{{0, 0}, {1, 0}, {1, 1}, {0, 1}}; !slices.Equal(c.of, want) {
		t.Errorf("copies %v, want %v", c.of, want)
	}
	if c.number() != 2 || c.first(0) != 0 || c.first(1) != 1 {
		t.Errorf("%d copies, first %d and %d", c.number(), c.first(0), c.first(1))
	}
	if c := copiesOf([]string{"F", "g", "h"}); c.number() != 1 || c.first(2) != 2 {
		t.Errorf("without copies: %d, first %d", c.number(), c.first(2))
	}
}
