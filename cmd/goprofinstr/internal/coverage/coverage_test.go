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

// TestTakeBinary has flags of coverage for test binaries, and words that only look like these.
func TestTakeBinary(t *testing.T) {
	for line, want := range map[string]string{
		"go test -cover . -args -test.gocoverdir=d":          "export -format covdata",
		"go test -cover -test.gocoverdir d":                  "export -format covdata",
		"go test -cover . -args -v -test.gocoverdir d":       "export -format covdata",
		"go test -cover . -args -x y --test.coverprofile=c":  "give -coverprofile to go test",
		"go test . -args -test.gocoverdir=d":                 "", // the test binary says what is wrong
		"go test -cover . -args x -test.gocoverdir=d":        "",
		"go test -cover . -args -x y z -test.gocoverdir=d":   "",
		"go test -cover . -args -x=y z -test.coverprofile=c": "",
		"go test -cover . -args -- -test.gocoverdir=d":       "",
		"go test -cover .":                                   "",
	} {
		c, err := gocmd.Parse(strings.Fields(line))
		if err != nil {
			t.Fatal(err)
		}
		_, err = Take(c, &toolchain.Toolchain{}, "")
		if err == nil != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", line, err, want)
		}
	}
}
