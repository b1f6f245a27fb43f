package lab

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A Workshop builds and runs test binaries.
type Workshop struct {
	Goprofinstr string
	Dir         string // modules and build caches, which are kept
	Scratch     string // all else
	Modes       []Mode
}

// Close removes the scratch folder.
func (w *Workshop) Close() { os.RemoveAll(w.Scratch) }

// A Build has the test binaries of one package.
type Build struct {
	Dir      string            // where the go command runs
	PkgDir   string            // where the tests run
	Binaries map[string]string // by mode
	Failed   map[string]error  // by mode
	modes    []Mode
}

// Build builds a package in every mode.
func (w *Workshop) Build(t *Target) (*Build, error) {
	b := &Build{Binaries: make(map[string]string), Failed: make(map[string]error), modes: w.Modes}
	var err error
	if b.Dir, err = t.Prepare(w.Dir); err != nil {
		return nil, err
	}
	if b.PkgDir, err = t.packageDir(b.Dir); err != nil {
		return nil, err
	}
	for _, m := range w.Modes {
		if m.same != "" {
			b.Binaries[m.Name], b.Failed[m.Name] = b.Binaries[m.same], b.Failed[m.same]
			continue
		}
		out := w.Binary(t, &m)
		if m.Profile != nil {
			b.Binaries[m.Name], b.Failed[m.Name] = out, w.buildWithProfile(b, t, &m, out)
			continue
		}
		b.Binaries[m.Name], b.Failed[m.Name] = out, GoCommand(b.Dir, m.BuildCommand(w.Goprofinstr, t, out)...)
	}
	return b, nil
}

// buildWithProfile builds the test binary of a mode with a profile, which the mode makes first. Only the
// packages that are instrumented are compiled with it: profiles know of others, too, and -pgo would compile
// the standard library anew for each.
func (w *Workshop) buildWithProfile(b *Build, t *Target, m *Mode, out string) error {
	name := filepath.Join(w.Scratch, Flat(m.Name)+".pprof")
	if err := m.Profile(w, b, t, m, name); err != nil {
		return err
	}
	command := append([]string{"go", "test", "-c", "-vet=off", "-o", out,
		"-gcflags=" + t.Instrument + "=-pgoprofile=" + name}, t.BuildFlags...)
	return GoCommand(b.Dir, append(command, t.Pkg)...)
}

// Mode returns the mode of a name.
func (b *Build) Mode(name string) *Mode { return findIn(b.modes, name) }

// Remove removes the binaries: those of all packages are gigabytes.
func (b *Build) Remove() {
	for _, name := range b.Binaries {
		os.Remove(name)
	}
}

// Binary returns the name of the file for a test binary.
func (w *Workshop) Binary(t *Target, m *Mode) string {
	return filepath.Join(w.Scratch, Flat(t.Pkg+"."+m.Name)+".test")
}

// Size returns the size of a test binary in bytes.
func (b *Build) Size(mode string) (float64, error) {
	if err := b.Failed[mode]; err != nil {
		return 0, err
	}
	info, err := os.Stat(b.Binaries[mode])
	if err != nil {
		return 0, err
	}
	return float64(info.Size()), nil
}

// packageDir returns the folder of the target's package.
func (t *Target) packageDir(dir string) (string, error) {
	return GoList(dir, "{{.Dir}}", append(slices.Clip(t.BuildFlags), t.Pkg)...)
}

// GoList returns what go list prints, in dir, with a template and more arguments.
func GoList(dir, template string, args ...string) (string, error) {
	cmd := exec.Command("go", append([]string{"list", "-f", template}, args...)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off")
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go list: %v\n%s", err, LastLines(errs.Bytes()))
	}
	return strings.TrimSpace(string(out)), nil
}

// GoCommand runs the go command, or goprofinstr around it, in dir.
func GoCommand(dir string, command ...string) error {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		// Both, for go test says on one what has failed, and wrap on the other, after it, what was counted.
		return fmt.Errorf("%s: %v\n%s\n%s", strings.Join(command, " "), err, LastLines(out.Bytes()),
			LastLines(errs.Bytes()))
	}
	return nil
}

// Flat makes a name one of a file.
func Flat(name string) string { return strings.ReplaceAll(name, "/", "_") }

// Columns returns the names of the modes that are run.
func (w *Workshop) Columns() []string {
	var names []string
	for _, m := range w.Modes {
		names = append(names, m.Name)
	}
	return names
}

// Built returns the names of the modes that have binaries of their own.
func (w *Workshop) Built() []string {
	var names []string
	for _, m := range w.Modes {
		if m.same == "" {
			names = append(names, m.Name)
		}
	}
	return names
}

// LastLines returns the end of a command's output, for an error message.
func LastLines(out []byte) string {
	const most = 500
	return strings.TrimSpace(string(out[max(0, len(out)-most):]))
}
