package actions

import (
	"os"
	"path/filepath"
	"testing"
)

// A folder has the files of a test, whose names have slashes.
type folder struct {
	t   *testing.T
	dir string
}

func (f folder) in(name string) string { return filepath.Join(f.dir, filepath.FromSlash(name)) }

func (f folder) write(name, text string) {
	f.t.Helper()
	if err := os.MkdirAll(filepath.Dir(f.in(name)), 0o777); err != nil {
		f.t.Fatal(err)
	}
	if err := os.WriteFile(f.in(name), []byte(text), 0o777); err != nil {
		f.t.Fatal(err)
	}
}

func (f folder) read(name string) string {
	f.t.Helper()
	text, err := os.ReadFile(f.in(name))
	if err != nil {
		f.t.Fatal(err)
	}
	return string(text)
}
