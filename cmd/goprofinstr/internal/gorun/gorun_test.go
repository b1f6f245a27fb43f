package gorun

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
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

// TestGiveUpRun has a go command that has nothing to say of packages that cannot be listed. It is not to run the program.
func TestGiveUpRun(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("no shell")
	}
	dir := t.TempDir()
	name, said := filepath.Join(dir, "go"), filepath.Join(dir, "said")
	script := "#!" + sh + "\nprintf '%s|' \"$@\" >" + said + "\n"
	if err := os.WriteFile(name, []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"go run . x":             "run|-exec=" + self + " idle|.|x|",
		"go run -exec=true -v .": "run|-exec=" + self + " idle|-v|.|",
		"go test ./...":          "test|./...|",
	} {
		r := parse(t, line, "")
		r.Toolchain.Go, r.work = name, new(workDir)
		trouble := errors.New("cannot list packages")
		if exit, err := r.GiveUp(trouble); exit != 1 || err != trouble {
			t.Errorf("%s: given up with %d, %v", line, exit, err)
		}
		if got, err := os.ReadFile(said); err != nil || string(got) != want {
			t.Errorf("%s: the go command is run with %s, %v; want %s", line, got, err, want)
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
