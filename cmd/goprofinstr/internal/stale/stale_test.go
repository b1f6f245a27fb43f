package stale

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/goprofinstr/goprofinstr/export/profiledir"
)

func TestWarning(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	sum := func(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }
	out := &profiledir.Dir{Path: filepath.Join(root, "out")}
	m := profiledir.Manifest{Root: root, Sources: map[string]string{"a.go": sum("a"), "b.go": sum("b")}}
	if err := out.WriteBuild(m, nil); err != nil {
		t.Fatal(err)
	}
	check := func(want string) {
		t.Helper()
		if got := Warning(out.Path); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	check("") // neither is there: this is another machine
	write("a.go", "a")
	write("b.go", "b")
	check("")
	write("b.go", "other")
	check("b.go has changed since " + out.Path + " was made: run goprofinstr wrap again")
	write("a.go", "other")
	check("2 files have changed since " + out.Path + " was made, such as a.go: run goprofinstr wrap again")
	if got := Warning(root); got != "" {
		t.Errorf("of no profile: %q", got)
	}
}
