package linker

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/toolchain"
)

// TestEnviron has settings of go env -w that are not for a linker that runs here.
func TestEnviron(t *testing.T) {
	name := filepath.Join(t.TempDir(), "env")
	settings := "GOFLAGS=-race\nGOOS=plan9\nGOARCH=386\nGOAMD64=v4\nGOEXPERIMENT=nodwarf5\n"
	if err := os.WriteFile(name, []byte(settings), 0o666); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOENV", name)
	cmd := exec.Command("go", "env", "GOFLAGS", "GOOS", "GOARCH", "GOAMD64", "GOEXPERIMENT")
	cmd.Env = environ(new(toolchain.Toolchain))
	want := "-buildvcs=auto\n" + runtime.GOOS + "\n" + runtime.GOARCH + "\nv1\n,\n"
	if out, err := cmd.Output(); err != nil || string(out) != want {
		t.Errorf("%q, %v; want %q", out, err, want)
	}
}
