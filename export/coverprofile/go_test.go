package coverprofile_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/goprofinstr/goprofinstr/internal/longtest"
)

// TestEqualsGo runs the tests of small modules with go test -coverprofile and under goprofinstr: the
// two files must be the same. The comment of each archive has the go test commands.
func TestEqualsGo(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	tool := filepath.Join(t.TempDir(), "goprofinstr")
	command(t, ".", "go", "build", "-o", tool, "../../cmd/goprofinstr")
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range archives {
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		dir, commands := extract(t, a), 0
		for line := range strings.Lines(string(a.Comment)) {
			args, ok := strings.CutPrefix(strings.TrimSpace(line), "go test ")
			if !ok {
				continue
			}
			if commands++; commands > 1 && !longtest.Wanted() {
				break
			}
			t.Run(filepath.Base(name)+"/"+args, func(t *testing.T) {
				want, got := filepath.Join(t.TempDir(), "want"), filepath.Join(t.TempDir(), "got")
				flags := append([]string{"-vet=off"}, strings.Fields(args)...)
				if !strings.Contains(args, "-covermode") {
					flags = append([]string{"-covermode=count"}, flags...)
				}
				// One test binary at a time: with several, go test writes them in the order in which they finish.
				command(t, dir, "go", append([]string{"test", "-count=1", "-p=1", "-coverprofile=" + want}, flags...)...)
				command(t, dir, tool, append([]string{"wrap", "-o", t.TempDir(), "go", "test", "-coverprofile=" + got}, flags...)...)
				if diff := cmp.Diff(read(t, want), read(t, got)); diff != "" {
					t.Errorf("-go test +goprofinstr:\n%s", diff)
				}
			})
		}
	}
}

func extract(t *testing.T, a *txtar.Archive) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range a.Files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func command(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOGC=400") // Collections are a seventh of the CPU time of builds.
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(cmd.Args, " "), err, &out)
	}
}

// read returns the lines of a file with numbers.
func read(t *testing.T, name string) []string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(string(data)) {
		lines = append(lines, fmt.Sprintf("%d: %s", len(lines)+1, line))
	}
	return lines
}
