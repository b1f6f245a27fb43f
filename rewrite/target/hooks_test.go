package target

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestHooksKeepLines makes sure that hooks stand on lines that are there: traces of fatal errors show lines of
// package runtime.
func TestHooksKeepLines(t *testing.T) {
	for _, tc := range []Toolchain{
		{GOROOT: runtime.GOROOT(), GOOS: "linux", GOARCH: "amd64"},
		{GOROOT: runtime.GOROOT(), GOOS: "darwin", GOARCH: "arm64"}, // has no timers of CPU time
	} {
		hooks := RuntimeHooks(tc, true, os.ReadFile)
		if !CanSample(hooks) || !HasBlocks(hooks) || !has(hooks, auditFile) || CanTellTests(hooks) != tc.hasTimers() {
			t.Fatalf("%s: not all hooks have a place in %s", tc.GOOS, runtime.Version())
		}
		for name, changed := range hooks {
			if strings.HasPrefix(filepath.Base(name), "goprofinstr") {
				continue // a file of its own
			}
			original, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := parser.ParseFile(token.NewFileSet(), name, changed, 0); err != nil {
				t.Error(err)
			}
			checkLines(t, name, strings.Split(string(original), "\n"), strings.Split(string(changed), "\n"))
		}
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
