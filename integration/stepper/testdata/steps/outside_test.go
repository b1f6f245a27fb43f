package steps_test

import (
	"testing"

	"example.com/steps"
)

// TestOutside calls what is inlined into this package.
func TestOutside(t *testing.T) {
	for i := range 20 {
		if i%3 == 1 {
			t.Log(steps.Zero())
		}
	}
}
