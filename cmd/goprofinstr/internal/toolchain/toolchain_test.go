package toolchain

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
)

// TestFindRelative names the go command relative to the current folder, and has it run in another one.
func TestFindRelative(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	path, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", os.Getenv("PATH")) // Find sets it
	t.Chdir(filepath.Dir(path))
	name := "." + string(filepath.Separator) + filepath.Base(path)
	tc, err := Find(&gocmd.Command{Go: name, Verb: "build", Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if tc.real == "" && tc.Go != path {
		t.Errorf("the go command is %s, want %s", tc.Go, path)
	}
}
