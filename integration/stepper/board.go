//go:build linux

package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/goprofinstr/goprofinstr/integration/internal/guest"
	"github.com/goprofinstr/goprofinstr/integration/internal/tracer"
)

// Programs for arm64 run in an emulated machine, if there is a kernel for it: its signals and its ptrace are a kernel's.

func init() { boot = bootMachine }

// A board is an emulated machine that runs the programs of a bench.
type board struct {
	*guest.Machine
	pkg  *pkg
	work string
}

// bootMachine boots a machine and writes what tests of a package read to it.
func bootMachine(o *options, p *pkg) (runner, error) {
	m, err := guest.Start(o.kernel, o.work)
	if err != nil {
		return nil, err
	}
	b := &board{m, p, o.work}
	list := []string{filepath.Join(p.folder, "testdata"), filepath.Join(filepath.Dir(p.folder), "testdata")}
	for _, name := range list {
		if _, err := os.Stat(name); err != nil {
			continue
		}
		if err := b.Put(name); err != nil {
			b.Close()
			return nil, err
		}
	}
	return b, nil
}

// run runs a test binary.
func (b *board) run(binary string, args []string, env ...string) error {
	return b.trace(binary, args, nil, env...)
}

// trace runs one under handlers.
func (b *board) trace(binary string, args []string, h *tracer.Handlers, env ...string) error {
	for _, name := range []string{binary, filepath.Join(b.work, "counters")} {
		if _, err := os.Stat(name); err != nil && name != binary {
			continue
		}
		if err := b.Put(name); err != nil {
			return err
		}
	}
	var dirs []string
	for _, name := range []string{"exact.out", "windows.out"} {
		dirs = append(dirs, filepath.Join(b.work, name))
	}
	c := &guest.Command{Path: binary, Args: args, Dir: b.pkg.folder, Dirs: dirs, Back: b.work,
		Env: append([]string{"PATH=/bin", "HOME=/tmp"}, env...)}
	out, err := b.Machine.Run(c, h)
	if err != nil {
		err = fmt.Errorf("%s: %w\n%s", filepath.Base(binary), err, out[:min(len(out), 6000)])
	}
	return err
}
