package lab

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/export/profiledir"
)

// A Program is a main package of our own, in the folder of its module, that is built in some modes.
type Program struct {
	Dir string
}

// NewProgram makes the folder of a module below the scratch folder.
func (w *Workshop) NewProgram(name string) (*Program, error) {
	p := &Program{filepath.Join(w.Scratch, name)}
	return p, WriteGoMod(p.Dir, "example.com/"+name)
}

// Build builds the program in a mode, with more flags of go build.
func (p *Program) Build(w *Workshop, m *Mode, flags ...string) error {
	var command []string
	if m.Wrap != nil {
		command = append([]string{w.Goprofinstr, "wrap"}, m.Wrap...)
	}
	command = append(command, "go", "build", "-o", p.binary(m))
	return GoCommand(p.Dir, append(append(command, flags...), ".")...)
}

func (p *Program) binary(m *Mode) string { return filepath.Join(p.Dir, Flat(m.Name)+".exe") }

// Command returns a command that runs the program of a mode, which writes its data to a new folder.
func (p *Program) Command(ctx context.Context, m *Mode, args ...string) (cmd *exec.Cmd, runDir string, err error) {
	runDir, err = os.MkdirTemp(p.Dir, "run-")
	if err != nil {
		return nil, "", err
	}
	cmd = exec.CommandContext(ctx, p.binary(m), args...)
	cmd.Dir, cmd.Env = p.Dir, append(os.Environ(), profiledir.Var+"="+runDir)
	return cmd, runDir, nil
}

// Profile runs the program of a mode to its end, and returns what it has counted.
func (p *Program) Profile(m *Mode, args ...string) (*profile.Profile, error) {
	ctx, cancel := context.WithTimeout(context.Background(), Timeout)
	defer cancel()
	cmd, runDir, err := p.Command(ctx, m, args...)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(runDir)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s: %v\n%s", m.Name, err, LastLines(out.Bytes()))
	}
	return profile.Load(runDir)
}
