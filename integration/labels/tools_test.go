package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/goprofinstr/goprofinstr/integration/internal/tool"
)

// mistaken is a program that vet has something to say of, and with the line for it the compiler, too. Both say it of pieces that
// have labels.
const mistaken = `package main

import "fmt"

func main() {
	x, y := 1, 2
	if x < y && y > 1 {
		fmt.Println(add(x, y))
		fmt.Printf("%s\n", x)
		EMBED
		var s string
		fmt.Println(s)
	}
}

func add(a, b int) int { return a + b }
`

// TestTools runs tools as a build with labels does (package toolexec). The program must have the user's names, and so must
// what the compiler and vet print.
func TestTools(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	goprofinstr, err := tool.Build(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	labels := "-toolexec=" + goprofinstr + " toolexec -labels"
	for name, c := range map[string]struct {
		embed string
		args  []string
		says  string // in a line of a piece with a label
	}{
		"inlining": {"", []string{"go", "build", "-gcflags=-m", "."}, "main.go:8:18: inlining call to add"},
		"error":    {"//go:embed x.txt", []string{"go", "build", "."}, "main.go:10:5: go:embed"},
		"vet":      {"", []string{"go", "vet", "."}, "main.go:9:15: fmt.Printf format %s"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := module(t, strings.Replace(mistaken, "EMBED", c.embed, 1))
			b := &build{dir: dir, args: c.args, out: filepath.Join(t.TempDir(), "program")}
			overlay, err := b.overlay(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			want := sorted(t, dir, b.command())
			if !strings.Contains(want, c.says) {
				t.Fatalf("the plain build does not say %q:\n%s", c.says, want)
			}
			if diff := gocmp.Diff(want, sorted(t, dir, b.command("-overlay="+overlay, labels))); diff != "" {
				t.Errorf("-plain +labelled:\n%s", diff)
			}
			if name == "error" { // what is printed otherwise the go command keeps
				if bare := sorted(t, dir, b.command("-overlay="+overlay)); !strings.Contains(bare, "~gpi") {
					t.Errorf("there are no labels without it:\n%s", bare)
				}
			}
			if name == "inlining" {
				sorted(t, dir, b.command("-overlay="+overlay, labels, "-o", b.out))
				if data, err := os.ReadFile(b.out); err != nil || strings.Contains(string(data), "~gpi") {
					t.Errorf("the program has labels: %v", err)
				}
			}
		})
	}
}

// module writes a module with a main package.
func module(t *testing.T, main string) string {
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/mistaken\n\ngo 1.26.0\n", "main.go": main} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// sorted returns the lines that a command prints, which may fail.
func sorted(t *testing.T, dir string, args []string) string {
	t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir
	out, _ := cmd.CombinedOutput()
	lines := strings.Split(string(out), "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}
