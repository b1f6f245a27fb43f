// Package outside runs what is added to package runtime in a program of its own, with a clock that tests make.
package outside

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Run runs a program together with a file that is added to package runtime. The program has what the file needs of that package.
// Names are replaced in the file, old and new in turn. The program prints nothing if all is well.
func Run(t *testing.T, program, added string, replaced ...string) {
	t.Helper()
	if testing.Short() {
		t.Skip("builds a program")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip(err) // as under Wine
	}
	text, err := os.ReadFile(added)
	if err != nil {
		t.Fatal(err)
	}
	replaced = append(replaced, "package runtime", "package main", "//go:linkname ", "// ")
	dir := t.TempDir()
	file := strings.NewReplacer(replaced...).Replace(string(text))
	for name, text := range map[string]string{"main.go": program, "added.go": file} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "run", "main.go", "added.go")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v:\n%s", err, out)
	}
}
