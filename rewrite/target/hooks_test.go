package target

import (
	"bytes"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// goRoots returns the GOROOT that the test runs with, and those in the module cache of releases that are supported:
// GOTOOLCHAIN=go1.27.0 go version brings one there.
func goRoots(t *testing.T) []string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	cached, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(out)), "golang.org", "toolchain@v0.0.1-go1.*"))
	if err != nil {
		t.Fatal(err)
	}
	roots := []string{runtime.GOROOT()}
	for _, dir := range cached {
		version, err := os.ReadFile(filepath.Join(dir, "VERSION"))
		if err != nil {
			t.Fatal(err)
		}
		if line, _, _ := strings.Cut(string(version), "\n"); dir != roots[0] && strings.HasPrefix(line, "go1.2") && line >= "go1.26" {
			roots = append(roots, dir)
		}
	}
	return roots
}

// TestHooksKeepLines makes sure that hooks have their places in each toolchain that is there, and stand on lines that are
// there: traces of fatal errors show lines of package runtime.
func TestHooksKeepLines(t *testing.T) {
	for _, goroot := range goRoots(t) {
		for _, system := range [][2]string{{"linux", "amd64"}, {"linux", "arm64"}, {"linux", "386"}, {"darwin", "arm64"}, {"windows", "amd64"}} {
			t.Run(filepath.Base(goroot)+"/"+system[0]+"/"+system[1], func(t *testing.T) {
				checkHooks(t, Toolchain{GOROOT: goroot, GOOS: system[0], GOARCH: system[1]})
			})
		}
	}
}

// checkHooks checks all hooks in a toolchain.
func checkHooks(t *testing.T, tc Toolchain) {
	hooks := RuntimeHooks(tc, true, os.ReadFile)
	if len(hooks.Missing) > 0 || hooks.Has(Tests) != tc.hasTimers() {
		t.Fatalf("not all hooks have a place in %s: %v", tc.GOROOT, hooks.Missing)
	}
	for name, changed := range hooks.Files {
		if _, err := parser.ParseFile(token.NewFileSet(), name, changed, 0); err != nil {
			t.Error(err)
		}
		if strings.HasPrefix(filepath.Base(name), "goprofinstr") { // a file of its own
			if formatted, err := format.Source(changed); err != nil || !bytes.Equal(formatted, changed) {
				t.Errorf("%s is not formatted: %v", filepath.Base(name), err)
			}
			continue
		}
		original, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		checkLines(t, name, strings.Split(string(original), "\n"), strings.Split(string(changed), "\n"))
	}
}

// checkLines makes sure that the lines of a file are where they were, with nothing but insertions.
func checkLines(t *testing.T, name string, original, changed []string) {
	t.Helper()
	if len(original) != len(changed) {
		t.Errorf("%s: %d lines, were %d", name, len(changed), len(original))
		return
	}
	for i, line := range changed {
		if !strings.HasPrefix(line, original[i]) && !strings.HasSuffix(line, strings.TrimSpace(original[i])) {
			t.Errorf("%s:%d: %s\nwas %s", name, i+1, line, original[i])
		}
	}
}
