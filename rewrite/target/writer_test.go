package target

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// TestWriter writes files of which several have one name, or one but for upper and lower case.
func TestWriter(t *testing.T) {
	w := &writer{dir: t.TempDir(), goroot: "/go", overlay: Overlay{Replace: make(map[string]string)}, names: make(map[string]int)}
	originals := []string{"/a/x.go", "/a/y.go", "/b/x.go", "/c/X.go", "/c/z.go", "/d/y.go"}
	for i, original := range originals {
		if err := w.add(original, []byte(strconv.Itoa(i))); err != nil {
			t.Fatal(err)
		}
	}
	for i, original := range originals {
		file := w.overlay.Replace[original]
		if data, err := os.ReadFile(file); err != nil || string(data) != strconv.Itoa(i) || filepath.Base(file) != filepath.Base(original) {
			t.Errorf("%s is in %s: %q, %v", original, file, data, err)
		}
	}
	if w.folders != 3 {
		t.Errorf("%d folders for three files of one name", w.folders)
	}
}

// TestGOROOT writes one file of the standard library for toolchains in two places, which share a build cache. Its contents
// differ, for the go command does not ask where GOROOT is, but the compiled package has the names of its files.
func TestGOROOT(t *testing.T) {
	seen := make(map[string]string)
	for _, goroot := range []string{"/usr/local/go", "/opt/go"} {
		w := &writer{dir: t.TempDir(), goroot: goroot, overlay: Overlay{Replace: make(map[string]string)}, names: make(map[string]int)}
		original := goroot + "/src/runtime/panic.go"
		if err := w.add(original, []byte("package runtime\n")); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(w.overlay.Replace[original])
		if err != nil {
			t.Fatal(err)
		}
		if other, ok := seen[string(data)]; ok {
			t.Errorf("%s and %s have the same file %q", goroot, other, data)
		}
		seen[string(data)] = goroot
	}
}
