package integration

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/integration/internal/tool"
)

// goprofinstr is the command under test, built once.
var goprofinstr string

func TestMain(m *testing.M) { os.Exit(tool.RunLongTests(&goprofinstr, m.Run)) }

// copyProgram returns a copy of a program of testdata, which the test may change and leave data in. It skips the test in
// short mode, as all that build programs.
func copyProgram(t *testing.T, name string) (dir string) {
	t.Helper()
	if testing.Short() {
		t.Skip("builds a program")
	}
	dir = t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", name))); err != nil {
		t.Fatal(err)
	}
	return dir
}

// copySparse is copyProgram for a program that calls sparse, which counts bits. It adds that function, which has so many paths
// that they are in a hash table.
func copySparse(t *testing.T, name string) (dir string) {
	t.Helper()
	dir = copyProgram(t, name)
	var b strings.Builder
	b.WriteString("package main\n\n//go:noinline\nfunc sparse(n uint32) (bits int) {\n")
	for i := range 32 {
		fmt.Fprintf(&b, "\tif n&(1<<%d) != 0 {\n\t\tbits++\n\t}\n", i)
	}
	b.WriteString("\treturn bits\n}\n")
	if err := os.WriteFile(filepath.Join(dir, "sparse.go"), []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

// setMonitored has programs built for linux/386 from then on. As far as package rt is concerned, these have no timers of CPU
// time; nor have macOS and Windows.
func setMonitored(t *testing.T) {
	t.Helper()
	if runtime.GOARCH != "amd64" || runtime.GOOS != "linux" {
		t.Skip("needs linux/amd64, which runs programs for linux/386")
	}
	t.Setenv("GOARCH", "386")
	t.Setenv("CGO_ENABLED", "0")
	name := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(name, []byte("package main\nfunc main() {}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := exec.Command("go", "run", name).Output(); err != nil {
		t.Skipf("this system runs no 386 programs: %v", err)
	}
}

// run runs a command in dir and returns what it wrote; it must succeed.
func run(t *testing.T, dir, name string, args ...string) (stdout, stderr string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s %v: %v\n%s%s", name, args, err, out.String(), errs.String())
	}
	return out.String(), errs.String()
}
