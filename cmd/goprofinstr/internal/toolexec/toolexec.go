// Package toolexec runs tools of the Go toolchain for the go command (-toolexec), and patches what the linker has made.
package toolexec

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/usage"
	"github.com/goprofinstr/goprofinstr/rewrite/patch"
)

// Name is the name of the command that wrap has the go command run the linker with, to patch what it has
// linked: so the patched programs are what the go command keeps, installs and runs. It is for nobody else, and not
// in the help.
const Name = "toolexec"

// Flag returns the flag of the go command for it.
func Flag() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	if strings.Contains(self, "'") {
		return "", fmt.Errorf("native probes need a go command that can be told to run %s, "+
			"which no quotation marks allow; use -backend portable", self)
	}
	return fmt.Sprintf("-toolexec='%s' %s", self, Name), nil
}

// Run runs a tool with its arguments, and returns its exit code.
func Run(args []string) (exit int, err error) {
	if len(args) == 0 {
		return 0, usage.Errorf("%s is for the go command", Name)
	}
	tool := exec.Command(args[0], args[1:]...)
	tool.Stdin, tool.Stderr = os.Stdin, os.Stderr
	linker := strings.TrimSuffix(filepath.Base(args[0]), ".exe") == "link"
	if linker && len(args) == 2 && args[1] == "-V=full" {
		return linkerVersion(tool)
	}
	tool.Stdout = os.Stdout
	if err := tool.Run(); err != nil {
		var failed *exec.ExitError
		if errors.As(err, &failed) {
			return failed.ExitCode(), nil
		}
		return 0, err
	}
	if !linker {
		return 0, nil
	}
	for i, arg := range args[:len(args)-1] {
		if arg == "-o" {
			if _, err := patch.Patch(args[i+1]); err != nil {
				return 0, fmt.Errorf("native probes: %w; use -backend portable", err)
			}
		}
	}
	return 0, nil
}

// linkerVersion prints the linker's version as its own and ours: what the go command has linked with others is not
// what we would make of it.
func linkerVersion(tool *exec.Cmd) (exit int, err error) {
	version, err := tool.Output()
	if err != nil {
		return 0, err
	}
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	data, err := os.ReadFile(self)
	if err != nil {
		return 0, err
	}
	_, err = fmt.Printf("%s+goprofinstr-%x\n", bytes.TrimSpace(version), sha256.Sum256(data))
	return 0, err
}
