// Package tool builds goprofinstr for the programs and tests that run it.
package tool

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// command is the package of the command.
const command = "github.com/goprofinstr/goprofinstr/cmd/goprofinstr"

// RunTests builds goprofinstr, sets name to the program's, runs tests (a testing.M's Run) and returns their exit code.
func RunTests(name *string, tests func() int) (exit int) {
	collectLess()
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

// RunLongTests is RunTests for tests of which none runs goprofinstr in short mode: it is not built then.
func RunLongTests(name *string, tests func() int) (exit int) {
	flag.Parse()
	if testing.Short() {
		return tests()
	}
	return RunTests(name, tests)
}

// collectLess has the processes that tests start collect garbage less often, unless the caller says how often. Collections were a
// seventh of the CPU time of builds: compilers, linkers and go list have small heaps that grow.
func collectLess() {
	if os.Getenv("GOGC") == "" {
		os.Setenv("GOGC", "400")
	}
}

// Build builds goprofinstr from the module in the current directory into dir, with more flags of go build, and returns the
// program's name.
func Build(dir string, flags ...string) (string, error) {
	name := filepath.Join(dir, "goprofinstr")
	if len(flags) == 0 && copyCached(name) == nil {
		return name, nil
	}
	args := append([]string{"build", "-o", name}, flags...)
	cmd := exec.Command("go", append(args, command)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("cannot build goprofinstr here: %v\n%s", err, out)
	}
	return name, nil
}

// copyCached copies goprofinstr from the go command's build cache, in which go run keeps the programs that it links. So it is
// linked once for the tests of all packages. The first time go run says where it has linked the program, and the second where
// it is kept.
func copyCached(name string) error {
	var program []byte
	for range 2 {
		out, err := exec.Command("go", "run", "-exec=echo", command).Output()
		if err != nil {
			return err
		}
		if program, err = os.ReadFile(strings.TrimSpace(string(out))); err == nil {
			return os.WriteFile(name, program, 0o777)
		}
	}
	return os.ErrNotExist
}
