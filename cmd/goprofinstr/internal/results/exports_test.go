package results

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/buildtest"
	"github.com/goprofinstr/goprofinstr/rewrite/load"
)

// TestExports finds export data a second time without a go command, unless it is gone.
func TestExports(t *testing.T) {
	buildtest.EmptyCache(t)
	c, tc := buildtest.Command(t, "go build go/scanner")
	start := func() *Exports {
		return Open(tc).Exports(c, buildtest.Load(t, c, tc, false, "go/scanner"))
	}
	never := func() (string, error) { return "", errors.New("the standard library is compiled as it is") }
	first, second, third := start(), start(), start()
	if err := first.Load(first.build.Packages, nil, never); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", "")
	if err := second.Load(second.build.Packages, nil, never); err != nil {
		t.Errorf("the go command is run again: %v", err)
	}
	ids := load.Imports(first.build.Packages, nil)
	if len(ids) < 3 {
		t.Errorf("imports are %v", ids)
	}
	for _, id := range ids {
		if file := second.build.Export(id); file == "" || file != first.build.Export(id) {
			t.Errorf("%s is in %q, want %q", id, file, first.build.Export(id))
		}
	}
	third.store.Put(third.key(third.listed[ids[0]]), filepath.Join(t.TempDir(), "trimmed"))
	if err := third.Load(third.build.Packages, nil, never); err == nil {
		t.Errorf("export data of %s that is not there any more is not looked for", ids[0])
	}
}

// TestExportsOfModules finds export data of the standard library in a second module without a go command, and that of a module's
// own packages in no other.
func TestExportsOfModules(t *testing.T) {
	buildtest.EmptyCache(t)
	start := func(source string) *Exports {
		dir := t.TempDir()
		for name, text := range map[string]string{"go.mod": "module example.com/m\n", "m.go": source, "p/p.go": "package p\n"} {
			file := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		t.Chdir(dir)
		c, tc := buildtest.Command(t, "go build .")
		return Open(tc).Exports(c, buildtest.Load(t, c, tc, false, "."))
	}
	never := func() (string, error) { return "", errors.New("the standard library is compiled as it is") }
	imports := func(path string) string { return "package m\n\nimport _ \"" + path + "\"\n" }
	first, second, third := start(imports("errors")), start(imports("errors")), start(imports("example.com/m/p"))
	if err := first.Load(first.build.Packages, nil, never); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", "")
	if err := second.Load(second.build.Packages, nil, never); err != nil {
		t.Errorf("the go command is run again for another module: %v", err)
	}
	if file := second.build.Export("errors"); file == "" || file != first.build.Export("errors") {
		t.Errorf("errors is in %q, want %q", file, first.build.Export("errors"))
	}
	if err := third.Load(third.build.Packages, nil, never); err == nil {
		t.Error("export data of a package of another module is taken")
	}
}
