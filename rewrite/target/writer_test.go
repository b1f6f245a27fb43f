package target

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// TestWriter writes files of which several have one name, or one but for upper and lower case.
func TestWriter(t *testing.T) {
	w := &writer{dir: t.TempDir(), overlay: Overlay{Replace: make(map[string]string)}, names: make(map[string]int)}
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
