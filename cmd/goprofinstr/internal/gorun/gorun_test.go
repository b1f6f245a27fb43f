package gorun

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/toolchain"
)

func TestShellLine(t *testing.T) {
	words := []string{"go", "test", "-run=^TestX$", "", "it's", "./..."}
	if got, want := shellLine(words), `go test '-run=^TestX$' '' 'it'\''s' ./...`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestLine has a toolchain that needs an environment of its own.
func TestLine(t *testing.T) {
	r := &Run{Toolchain: &toolchain.Toolchain{Go: "/a b/go", Env: []string{"GOROOT=/a b", "GOTOOLCHAIN=local"}}}
	if got, want := r.line([]string{"run", "."}), "GOROOT='/a b' GOTOOLCHAIN=local '/a b/go' run ."; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	r.Toolchain = &toolchain.Toolchain{Go: "go"}
	if got, want := r.line([]string{"run", "."}), "go run ."; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestTestFlags(t *testing.T) {
	for _, test := range []struct{ line, goflags, want string }{
		{"go build", "", ""},
		{"go test", "", "-vet=off -count=1"},
		{"go test -vet=all -count=3", "", "-vet=off"},
		{"go test", "-race -count=3", "-vet=off"},
		{"go test -c", "", "-vet=off"},
		{"go run -race example.com/m", "", ""},
	} {
		r := parse(t, test.line, test.goflags)
		if got := strings.Join(r.testFlags(), " "); got != test.want {
			t.Errorf("%s, GOFLAGS=%s: %q, want %q", test.line, test.goflags, got, test.want)
		}
		if _, ok := r.Cmd.Lookup("vet"); ok {
			t.Errorf("%s: vet flag of the user is left", test.line)
		}
	}
}

// TestNewLinked has a link to the folder of -C, which the go command that is run calls by its own name.
func TestNewLinked(t *testing.T) {
	if testing.Short() || runtime.GOOS == "windows" {
		t.Skip("runs the go command, and makes links")
	}
	tmp, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir, link := filepath.Join(tmp, "dir"), filepath.Join(tmp, "link")
	if err := errors.Join(os.Mkdir(dir, 0o777), os.Symlink(dir, link)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module m\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	c, err := gocmd.Parse([]string{"go", "test", "-C", link})
	if err != nil {
		t.Fatal(err)
	}
	r, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := r.Toolchain.GOMOD, filepath.Join(dir, "go.mod"); got != want {
		t.Errorf("the module's file is %s, want %s", got, want)
	}
}

// TestExplain has errors of files in the temporary folder and elsewhere.
func TestExplain(t *testing.T) {
	r := &Run{work: &workDir{path: filepath.Join("tmp", "work")}}
	full := errors.New("no space left on device")
	inside := fmt.Errorf("x: %w", &fs.PathError{Op: "write", Path: filepath.Join("tmp", "work", "a"), Err: full})
	if got := r.Explain(inside); !strings.Contains(got.Error(), "temporary folder in tmp") || !errors.Is(got, full) {
		t.Errorf("in the folder: %v", got)
	}
	if exit, err := r.GiveUp(inside); exit != 0 || !errors.Is(err, full) { // without a toolchain, so nothing has run
		t.Errorf("given up with %d, %v", exit, err)
	}
	r.DryRun = true
	if exit, err := r.GiveUp(full); exit != 0 || err != full { // nor is the go command asked with -n
		t.Errorf("given up with -n: %d, %v", exit, err)
	}
	if got := r.Explain(os.ErrNotExist); got != os.ErrNotExist {
		t.Errorf("elsewhere: %v", got)
	}
}
