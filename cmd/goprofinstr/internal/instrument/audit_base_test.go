package instrument

import (
	"io"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/toolchain"
)

// TestReleaseTags has files of the base that only some releases of Go build, whatever goprofinstr was built with.
func TestReleaseTags(t *testing.T) {
	for _, test := range []struct {
		release, constraint string
		want                bool
	}{
		{"go1.26.8", "go1.26", true},
		{"go1.26.8", "go1.27", false},
		{"go1.27.0", "go1.27", true},
		{"go1.98rc1", "go1.98", true},
		{"go1.98rc1", "go1.99", false},
		{"devel go1.99-abcdef", "go1.26", true},
	} {
		tc := &toolchain.Toolchain{GOVERSION: test.release, GOOS: "linux", GOARCH: "amd64"}
		c := (&session{tc: tc, cmd: &gocmd.Command{Verb: "test"}}).buildContext()
		c.OpenFile = func(string) (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader("//go:build " + test.constraint + "\n\npackage p\n")), nil
		}
		if got, err := c.MatchFile("p", "p.go"); got != test.want || err != nil {
			t.Errorf("%s, //go:build %s: %v, %v", test.release, test.constraint, got, err)
		}
	}
}
