// Package toolexec runs tools of the Go toolchain for the go command (-toolexec), and changes what the linker has made: it
// has native probes, or names of files without labels.
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

// A Step is what is done to the output of tools, as the first argument says.
type Step string

// The steps.
const (
	Probes Step = ""        // the linked program gets native probes
	Labels Step = "-labels" // names of files lose their labels, in the linked program and in what tools print
)

// Flag returns the flag of the go command for a step.
func Flag(step Step) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	if strings.Contains(self, "'") {
		return "", fmt.Errorf("native probes need a go command that can be told to run %s, "+
			"which no quotation marks allow; use -backend portable", self)
	}
	return strings.TrimSpace(fmt.Sprintf("-toolexec='%s' %s %s", self, Name, step)), nil
}

// Run runs a tool with its arguments, behind the step, and returns its exit code.
func Run(args []string) (exit int, err error) {
	step := Probes
	if len(args) > 0 && args[0] == string(Labels) {
		step, args = Labels, args[1:]
	}
	if len(args) == 0 {
		return 0, usage.Errorf("%s is for the go command", Name)
	}
	tool := exec.Command(args[0], args[1:]...)
	tool.Stdin, tool.Stderr = os.Stdin, os.Stderr
	linker := strings.TrimSuffix(filepath.Base(args[0]), ".exe") == "link"
	if linker && len(args) == 2 && args[1] == "-V=full" {
		return linkerVersion(tool, step)
	}
	if err := run(tool, step); err != nil {
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
			if err := step.linked(args[i+1]); err != nil {
				return 0, err
			}
		}
	}
	return 0, nil
}

// linked changes a program that the linker has made.
func (s Step) linked(program string) error {
	if s == Labels {
		if _, err := patch.RestoreNames(program); err != nil {
			return fmt.Errorf("names of files: %w", err)
		}
		return nil
	}
	if _, err := patch.Patch(program); err != nil {
		return fmt.Errorf("native probes: %w; use -backend portable", err)
	}
	return nil
}

// run runs a tool. What it prints has no labels.
func run(tool *exec.Cmd, step Step) error {
	if tool.Stdout = os.Stdout; step != Labels {
		return tool.Run()
	}
	out, errs := &stripper{to: os.Stdout}, &stripper{to: os.Stderr}
	tool.Stdout, tool.Stderr = out, errs
	return errors.Join(tool.Run(), out.flush(), errs.flush(), stripVet(tool.Args))
}

// linkerVersion prints the linker's version as its own and ours: what the go command has linked with others is not
// what we would make of it.
func linkerVersion(tool *exec.Cmd, step Step) (exit int, err error) {
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
	_, err = fmt.Printf("%s+goprofinstr%s-%x\n", bytes.TrimSpace(version), step, sha256.Sum256(data))
	return 0, err
}
