//go:build linux

package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/ptytest"
)

// TestProgress runs wrap with a terminal for standard error: there is a line that is gone before anything else is
// written. Without one there is no trace of it.
func TestProgress(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	written := ptytest.Written(t, 0, func(terminal *os.File) { wrapBuild(t, terminal) })
	const line, erased = "goprofinstr: rewriting packages: 1 of 1: example.com/m", "\r\x1b[K"
	const next = "goprofinstr: 1 function instrumented"
	if got := written; !strings.HasPrefix(got, erased+line+erased) || !strings.Contains(got, next) ||
		strings.Count(got, "rewriting") != 1 {
		t.Errorf("on a terminal: %q", got)
	}
	var plain bytes.Buffer
	wrapBuild(t, &plain)
	if got := plain.String(); strings.Contains(got, "\x1b") || strings.Contains(got, "rewriting") ||
		!strings.Contains(got, next) {
		t.Errorf("on a pipe: %q", got)
	}
}

// wrapBuild wraps the build of a new module with one function, with nothing in the cache.
func wrapBuild(t *testing.T, stderr io.Writer) {
	t.Helper()
	dir := t.TempDir()
	module := map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.26\n",
		"m.go":   "package main\n\nfunc main() {}\n",
	}
	for name, text := range module {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := filepath.Join(dir, "goprofinstr") // the name by which TestMain knows what to be
	if err := os.Symlink(own, command); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(command, "wrap", "-mode", "exact", "go", "build", "-o", "m", ".")
	cmd.Dir, cmd.Stderr = dir, stderr
	cmd.Env = append(os.Environ(), "TERM=xterm", "GOFLAGS=-buildvcs=false", "XDG_CACHE_HOME="+filepath.Join(dir, ".cache"),
		"GOCACHE="+strings.TrimSpace(goEnv(t, "GOCACHE")))
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
}
