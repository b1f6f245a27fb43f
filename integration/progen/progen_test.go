package progen

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestBuilds makes sure that what is generated compiles and vets as Go.
func TestBuilds(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	dir := t.TempDir()
	p := New(1, Config{Packages: 8, Functions: 12, Fatal: true})
	for name, src := range p.Files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(src), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "build", "./...")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

func TestDeterministic(t *testing.T) {
	c := Config{Packages: 3, Functions: 12}
	if !maps.Equal(New(7, c).Files, New(7, c).Files) {
		t.Error("equal seeds, different programs")
	}
	if maps.Equal(New(7, c).Files, New(8, c).Files) {
		t.Error("different seeds, equal programs")
	}
}

// TestSites makes sure that ids are unique and on lines of their own.
func TestSites(t *testing.T) {
	p := New(3, Config{Packages: 10, Functions: 12})
	type line struct {
		file string
		line int
	}
	at := make(map[line]int)
	for id, s := range p.Sites() {
		if other, ok := at[line{s.File, s.Line}]; ok {
			t.Errorf("%s:%d: sites %d and %d", s.File, s.Line, id, other)
		}
		at[line{s.File, s.Line}] = id
	}
	if len(at) < 1000 {
		t.Errorf("only %d sites", len(at))
	}
}
