package coverprofile

import (
	"io"
	"strings"
	"testing"
)

// TestMissing says what becomes of extents whose counts are not known.
func TestMissing(t *testing.T) {
	missing := []Missing{
		{Package: "m", Reason: "not instrumented", Extents: make([]Extent, 2)},
		{Package: "m", Functions: []string{"m.F"}, Reason: "imports \"C\"", Extents: make([]Extent, 1)},
	}
	for _, test := range []struct {
		write    func(io.Writer, []Missing) error
		two, one string
	}{
		{WriteMissing, "2 blocks are left out", "1 block is left out"},
		{WriteZero, "2 blocks count as not executed", "1 block counts as not executed"},
	} {
		var b strings.Builder
		if err := test.write(&b, missing); err != nil {
			t.Fatal(err)
		}
		want := "goprofinstr: warning: coverage of m is not known, " + test.two + ": not instrumented\n" +
			"goprofinstr: warning: coverage of m.F is not known, " + test.one + ": imports \"C\"\n"
		if b.String() != want {
			t.Errorf("%swant\n%s", b.String(), want)
		}
	}
}
