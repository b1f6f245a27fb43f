package statefile

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

type value struct{ N int }

// TestReadWrite has no file, a file, another value, and a damaged file.
func TestReadWrite(t *testing.T) {
	name := filepath.Join(t.TempDir(), "new", "state")
	var v value
	if found, err := Read(name, &v); found || err != nil {
		t.Errorf("no file: %v, %v", found, err)
	}
	for _, n := range []int{1, 2} {
		if err := Write(name, value{n}); err != nil {
			t.Fatal(err)
		}
		v = value{}
		if found, err := Read(name, &v); !found || err != nil || v.N != n {
			t.Errorf("%v, %v, %v; want %d", found, err, v, n)
		}
	}
	if list, err := os.ReadDir(filepath.Dir(name)); err != nil || len(list) != 1 {
		t.Errorf("files %v, %v; want one", list, err)
	}
	if err := os.WriteFile(name, []byte("no gob"), 0o600); err != nil {
		t.Fatal(err)
	}
	if found, err := Read(name, &v); found || !errors.Is(err, ErrDamaged) {
		t.Errorf("damaged: %v, %v", found, err)
	}
}

// TestUnchanged cannot put a value in the place of what there is.
func TestUnchanged(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "state")
	if err := os.MkdirAll(filepath.Join(name, "in the way"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := Write(name, value{1}); err == nil {
		t.Error("no error")
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 1 {
		t.Errorf("files %v, %v; want what was there", list, err)
	}
}

// TestLeft has files that writers have left that were killed. The next one removes them, and no others.
func TestLeft(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"state.tmp123", "state.tmp4567", "state.tmpl", "other.tmp123"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := Write(filepath.Join(dir, "state"), value{1}); err != nil {
		t.Fatal(err)
	}
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	if want := []string{"other.tmp123", "state", "state.tmpl"}; !slices.Equal(names, want) {
		t.Errorf("files %v, want %v", names, want)
	}
}
