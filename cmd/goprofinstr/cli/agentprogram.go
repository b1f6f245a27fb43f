package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/child"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/usage"
	"github.com/goprofinstr/goprofinstr/export/profiledir"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

// A program is one that an agent runs.
type program exec.Cmd

// newProgram returns the program of a command line, nil if that is empty. Dirs are those of -dir, and become the directory that
// the program writes to.
func newProgram(words []string, dirs *string) (*program, error) {
	if len(words) == 0 {
		return nil, nil
	}
	if _, err := exec.LookPath(words[0]); err != nil {
		return nil, err // before anything is said of it
	}
	cmd := exec.Command(words[0], words[1:]...)
	if *dirs == defaultDirs {
		if *dirs = os.Getenv(profiledir.Var); *dirs == "" {
			*dirs = strings.TrimSuffix(filepath.Base(words[0]), ".exe") + ".out"
		}
	}
	if strings.ContainsAny(*dirs, ",*?[") || *dirs == "off" {
		return nil, usage.Errorf("%s is no directory that a program can write to: -dir names one", show.Printable(*dirs))
	}
	dir, err := filepath.Abs(*dirs) // a script may go elsewhere before it starts the program
	if err != nil {
		return nil, err
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), profiledir.Var+"="+dir)
	return (*program)(cmd), nil
}

func (p *program) name() string { return filepath.Base(p.Path) }

// run runs the program, and calls follow, whose context is done when the program has ended. The exit code is the program's, or
// that of a shell whose command a signal has ended. A program that cannot be followed any more goes on.
func (p *program) run(follow func(context.Context) error) (exit int, err error) {
	ctx, stop := context.WithCancel(context.Background())
	followed := make(chan error, 1)
	go func() { followed <- follow(ctx) }()
	exit, err = child.RunProgram((*exec.Cmd)(p))
	stop()
	lost := <-followed
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		exit, err = 1, nil
		if status, ok := failed.Sys().(syscall.WaitStatus); ok && status.Signaled() {
			exit = 128 + int(status.Signal())
		}
	}
	if lost != nil {
		sayLine(lost.Error())
	}
	return exit, err
}

// counted tells the user if the program has ended without a directory: it was not built to count.
func (p *program) counted(dir string) {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		sayLine(fmt.Sprintf("%s has counted nothing: goprofinstr wrap go build makes programs that do", p.name()))
	}
}
