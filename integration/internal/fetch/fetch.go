// Package fetch makes writable copies of third-party modules for tests and measurements.
package fetch

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// ErrUnavailable is the error for a module that could not be downloaded.
var ErrUnavailable = errors.New("cannot download")

// Module copies a module at a version to dir, which must not exist, as a main module: with a go.mod, in no workspace.
// If it cannot be downloaded the error is ErrUnavailable.
func Module(dir, module, version string) error {
	cached, err := download(module, version)
	if err != nil {
		return err
	}
	// Renamed when it is complete, lest an interrupted copy is taken for a whole one.
	part := dir + ".part"
	if err := os.RemoveAll(part); err != nil {
		return err
	}
	if err := os.CopyFS(part, os.DirFS(cached)); err != nil { // it makes files writable
		return err
	}
	if err := makeMain(part, module); err != nil {
		return err
	}
	return os.Rename(part, dir)
}

// download returns the module's folder in the module cache.
func download(module, version string) (dir string, err error) {
	cmd := exec.Command("go", "mod", "download", "-json", module+"@"+version)
	cmd.Dir = os.TempDir() // no module of ours is meant
	cmd.Env = append(os.Environ(), "GOWORK=off")
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%w %s@%s: %v\n%s", ErrUnavailable, module, version, err, out)
	}
	var info struct{ Dir string }
	if err := json.Unmarshal(out, &info); err != nil {
		return "", fmt.Errorf("go mod download: %v", err)
	}
	return info.Dir, nil
}

func makeMain(dir, module string) error {
	for _, name := range []string{"go.work", "go.work.sum"} {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	cmd := exec.Command("go", "mod", "init", module)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go mod init %s: %v\n%s", module, err, out)
	}
	return nil
}

// ForTest returns a copy of a module for one test, which is skipped if the module cannot be downloaded.
func ForTest(t testing.TB, module, version string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "m")
	err := Module(dir, module, version)
	if errors.Is(err, ErrUnavailable) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}
