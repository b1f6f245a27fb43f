package browser_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/goprofinstr/goprofinstr/integration/internal/tool"
)

// goprofinstr is the command under test, built once.
var goprofinstr string

func TestMain(m *testing.M) { os.Exit(tool.RunTests(&goprofinstr, m.Run)) }

// run runs goprofinstr in dir with arguments; it must succeed.
func run(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command(goprofinstr, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("goprofinstr %v: %v\n%s", args, err, out)
	}
}
