package copies

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// built is the folder of the command that tests copy, which is built once for each architecture.
var built string

func TestMain(m *testing.M) {
	var err error
	if built, err = os.MkdirTemp("", "copies-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(built)
	os.Exit(code)
}

// build returns the name of a command for linux/amd64.
func build(t *testing.T) (name string) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("it builds a command for linux/amd64")
	}
	return buildFor(t, "amd64")
}

// buildARM64 returns the name of a command for linux/arm64.
func buildARM64(t *testing.T) (name string) { return buildFor(t, "arm64") }

func buildFor(t *testing.T, arch string) (name string) {
	if testing.Short() {
		t.Skip("it builds a command")
	}
	name = filepath.Join(built, "gofmt."+arch)
	if _, err := os.Stat(name); err == nil {
		return name
	}
	run(t, []string{"GOOS=linux", "GOARCH=" + arch, "CGO_ENABLED=0"}, "build", "-o", name, "cmd/gofmt")
	return name
}

// buildBesideC returns the name of the command for linux/amd64 as an external linker makes it, with C code in front of Go's.
func buildBesideC(t *testing.T) (name string) {
	if testing.Short() || runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("it builds a command for linux/amd64")
	}
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("no C compiler")
	}
	name = filepath.Join(built, "gofmt.external")
	run(t, []string{"CGO_ENABLED=1"}, "build", "-ldflags=-linkmode=external", "-o", name, "cmd/gofmt")
	return name
}

// run runs the go command.
func run(t *testing.T, env []string, args ...string) {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
