package coverage

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/toolchain"
)

// TestTakeOutputDir has the folder of the profile on the command line and in GOFLAGS.
func TestTakeOutputDir(t *testing.T) {
	for _, test := range []struct{ line, goflags, want string }{
		{"go test -coverprofile=c.out", "", "c.out"},
		{"go test -coverprofile=c.out -outputdir=a", "-outputdir=b", "a/c.out"},
		{"go test -C sub -coverprofile=c.out", "-outputdir=b", "sub/b/c.out"},
	} {
		c, err := gocmd.Parse(strings.Fields(test.line))
		if err != nil {
			t.Fatal(err)
		}
		d, err := Take(c, &toolchain.Toolchain{GOFLAGS: test.goflags}, "")
		if err != nil {
			t.Fatal(err)
		}
		if got := d.Cover.Profile; got != filepath.FromSlash(test.want) {
			t.Errorf("%s, GOFLAGS=%s: the profile is %s, want %s", test.line, test.goflags, got, test.want)
		}
	}
}
