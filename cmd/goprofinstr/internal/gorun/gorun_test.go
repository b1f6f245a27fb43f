package gorun

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestShellLine(t *testing.T) {
	words := []string{"go", "test", "-run=^TestX$", "", "it's", "./..."}
	if got, want := shellLine(words), `go test '-run=^TestX$' '' 'it'\''s' ./...`; got != want {
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
