package toolchain

import "testing"

func TestReleaseWarning(t *testing.T) {
	tests := []struct {
		unchecked    int
		own, wrapped string
		want         string
	}{
		{0, "go1.26.1", "go1.27.0", ""},
		{1, "go1.26.1", "go1.26.8", ""},
		{1, "go1.27.0", "go1.26.8", ""},
		{1, "devel go1.28-abc", "go1.27.0", ""},
		{1, "go1.26.1", "go1.27.0",
			"1 package is declined, because goprofinstr was built with go1.26.1 and does not understand go1.27.0; " +
				"build it again with that release"},
		{2, "go1.26.1", "go1.27rc1",
			"2 packages are declined, because goprofinstr was built with go1.26.1 and does not understand go1.27rc1; " +
				"build it again with that release"},
	}
	for _, test := range tests {
		if got := releaseWarning(test.unchecked, test.own, test.wrapped); got != test.want {
			t.Errorf("%d packages, built with %s, wraps %s:\n got %q\nwant %q",
				test.unchecked, test.own, test.wrapped, got, test.want)
		}
	}
}
