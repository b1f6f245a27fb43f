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
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
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
	Copies Step = "-copies" // that, and the linked program gets counting copies; the next argument is a folder of link.Records
)

// Flag returns the flag of the go command for a step. The step may have a folder.
func Flag(step Step, folder ...string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	if strings.Contains(self, "'") {
		return "", fmt.Errorf("native probes need a go command that can be told to run %s, "+
			"which no quotation marks allow; use -backend portable", self)
	}
	more, err := gocmd.JoinQuoted(folder)
	return strings.TrimSpace(fmt.Sprintf("-toolexec='%s' %s %s %s", self, Name, step, more)), err
}

// Run runs a tool with its arguments, behind the step, and returns its exit code.
func Run(args []string) (exit int, err error) {
	step, records := Probes, ""
	switch {
	case len(args) > 0 && args[0] == string(Labels):
		step, args = Labels, args[1:]
	case len(args) > 1 && args[0] == string(Copies):
		step, records, args = Copies, args[1], args[2:]
	}
	if len(args) == 0 {
		return 0, usage.Errorf("%s is for the go command", Name)
	}
	linker := strings.TrimSuffix(filepath.Base(args[0]), ".exe") == "link"
	if step == Copies && linker && len(args) > 2 {
		return linkWithCopies(args, records)
	}
	if step == Copies {
		args = withDWARF(args)
	}
	tool := exec.Command(args[0], args[1:]...)
	tool.Stdin, tool.Stderr = os.Stdin, os.Stderr
	if linker && len(args) == 2 && args[1] == "-V=full" {
		return linkerVersion(tool, step)
	}
	if err := run(tool, step); err != nil {
		return exitCode(err)
	}
	if !linker {
		return 0, nil
	}
	if program, ok := valueOf(args, "-o"); ok {
		return 0, step.linked(program)
	}
	return 0, nil
}

// exitCode returns the exit code of a tool that has failed, or why it has not run.
func exitCode(err error) (int, error) {
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		return failed.ExitCode(), nil
	}
	return 0, err
}

// valueOf returns the argument behind a flag.
func valueOf(args []string, flag string) (value string, ok bool) {
	i := slices.Index(args, flag)
	if i < 0 || i+1 == len(args) {
		return "", false
	}
	return args[i+1], true
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
	if tool.Stdout = os.Stdout; step == Probes {
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
