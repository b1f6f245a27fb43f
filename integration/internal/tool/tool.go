// Package tool builds goprofinstr for the programs and tests that run it.
package tool

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// RunTests builds goprofinstr, sets name to the program's, runs tests (a testing.M's Run) and returns their exit code.
func RunTests(name *string, tests func() int) (exit int) {
	dir, err := os.MkdirTemp("", "goprofinstr-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	if *name, err = Build(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return tests()
}

// Build builds goprofinstr from the module in the current directory into dir, with more flags of go build, and returns the program's name.
func Build(dir string, flags ...string) (string, error) {
	name := filepath.Join(dir, "goprofinstr")
	args := append([]string{"build", "-o", name}, flags...)
	cmd := exec.Command("go", append(args, "github.com/goprofinstr/goprofinstr/cmd/goprofinstr")...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("cannot build goprofinstr here: %v\n%s", err, out)
	}
	return name, nil
}
