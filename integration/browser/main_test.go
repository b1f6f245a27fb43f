package browser_test

import (
	"bytes"
	"os"
	"os/exec"
	"testing"

	"github.com/goprofinstr/goprofinstr/integration/internal/tool"
)

// goprofinstr is the command under test, built once.
var goprofinstr string

func TestMain(m *testing.M) { os.Exit(tool.RunTests(&goprofinstr, m.Run)) }

// run runs goprofinstr in dir with arguments, and returns what it prints; it must succeed.
func run(t *testing.T, dir string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(goprofinstr, args...)
	cmd.Dir = dir
	var problems bytes.Buffer
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("goprofinstr %v: %v\n%s%s", args, err, out, &problems)
	}
	return out
}
