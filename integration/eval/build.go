package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A workshop builds and runs test binaries.
type workshop struct {
	goprofinstr string
	dir         string // modules and build caches, which are kept
	scratch     string // all else
	modes       []mode
}

// A build has the test binaries of one package.
type build struct {
	dir      string            // where the go command runs
	pkgDir   string            // where the tests run
	binaries map[string]string // by mode
	failed   map[string]error  // by mode
}

// build builds a package in every mode.
func (w *workshop) build(t *target) (*build, error) {
	b := &build{binaries: make(map[string]string), failed: make(map[string]error)}
	var err error
	if b.dir, err = t.prepare(w.dir); err != nil {
		return nil, err
	}
	if b.pkgDir, err = t.packageDir(b.dir); err != nil {
		return nil, err
	}
	for _, m := range w.modes {
		if m.same != "" {
			b.binaries[m.name], b.failed[m.name] = b.binaries[m.same], b.failed[m.same]
			continue
		}
		out := w.binary(t, &m)
		if m.pgo != "" {
			b.binaries[m.name], b.failed[m.name] = out, w.buildWithProfile(b, t, &m, out)
			continue
		}
		b.binaries[m.name], b.failed[m.name] = out, goCommand(b.dir, m.buildCommand(w.goprofinstr, t, out)...)
	}
	return b, nil
}

// remove removes the binaries: those of all packages are gigabytes.
func (b *build) remove() {
	for _, name := range b.binaries {
		os.Remove(name)
	}
}

// binary returns the name of the file for a test binary.
func (w *workshop) binary(t *target, m *mode) string {
	return filepath.Join(w.scratch, flat(t.pkg+"."+m.name)+".test")
}

// size returns the size of a test binary in bytes.
func (b *build) size(mode string) (float64, error) {
	if err := b.failed[mode]; err != nil {
		return 0, err
	}
	info, err := os.Stat(b.binaries[mode])
	if err != nil {
		return 0, err
	}
	return float64(info.Size()), nil
}

// packageDir returns the folder of the target's package.
func (t *target) packageDir(dir string) (string, error) {
	return goList(dir, "{{.Dir}}", append(slices.Clip(t.BuildFlags), t.pkg)...)
}

// goList returns what go list prints, in dir, with a template and more arguments.
func goList(dir, template string, args ...string) (string, error) {
	cmd := exec.Command("go", append([]string{"list", "-f", template}, args...)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off")
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go list: %v\n%s", err, lastLines(errs.Bytes()))
	}
	return strings.TrimSpace(string(out)), nil
}

// goCommand runs the go command, or goprofinstr around it, in dir.
func goCommand(dir string, command ...string) error {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		// Both, for go test says on one what has failed, and wrap on the other, after it, what was counted.
		return fmt.Errorf("%s: %v\n%s\n%s", strings.Join(command, " "), err, lastLines(out.Bytes()), lastLines(errs.Bytes()))
	}
	return nil
}

// columns returns the names of the modes that are run.
func (w *workshop) columns() []string {
	var names []string
	for _, m := range w.modes {
		names = append(names, m.name)
	}
	return names
}

// built returns the names of the modes that have binaries of their own.
func (w *workshop) built() []string {
	var names []string
	for _, m := range w.modes {
		if m.same == "" {
			names = append(names, m.name)
		}
	}
	return names
}
