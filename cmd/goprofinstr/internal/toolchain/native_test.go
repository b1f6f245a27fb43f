package toolchain

import "testing"

func TestTooNew(t *testing.T) {
	for _, c := range []struct {
		built, compiler string
		tooNew          bool
	}{
		{"go1.26.0", "go1.26.8", false},
		{"go1.27.0", "go1.26.8", false},
		{"go1.26.8", "go1.27.0", true},
		{"go1.26.8 X:nodwarf5", "go1.27rc1", true},
		{"devel go1.28-1234567", "go1.28.0", false},
	} {
		if why := tooNew(c.built, c.compiler); (why != "") != c.tooNew {
			t.Errorf("built with %s, compiled with %s: %q", c.built, c.compiler, why)
		}
	}
}
