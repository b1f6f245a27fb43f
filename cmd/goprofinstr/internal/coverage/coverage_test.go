package coverage

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
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

// TestCheckFile has names of files in folders that nobody can write to, which lead elsewhere, and the other way round.
func TestCheckFile(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("has files in /proc")
	}
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, "c.out"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	link := filepath.Join(dir, "link")
	if err := os.Symlink("/proc/version", link); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		fmt.Sprintf("/proc/self/fd/%d", f.Fd()): "",
		"/proc/self/fd/1":                       "",
		f.Name():                                "",
		os.DevNull:                              "",
		link:                                    "no folder /proc", // so the system says, whoever asks
		dir:                                     "is a directory",
		filepath.Join(dir, "none", "c.out"):     "no folder ",
	} {
		if err := checkFile(name); err == nil != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 2 {
		t.Errorf("left are %v, %v", left, err)
	}
}
