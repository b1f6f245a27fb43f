package merge

import (
	"testing"

	"github.com/goprofinstr/goprofinstr/export/profiledir"
)

// TestLineSums: merged runs know the lines of files that are the same in all of them, in whatever order they come.
func TestLineSums(t *testing.T) {
	sums := func(files map[string]string) *profiledir.Manifest {
		m := &profiledir.Manifest{Sources: make(map[string]string), LineSums: make(map[string][]byte)}
		for name, src := range files {
			m.Sources[name], m.LineSums[name] = src, profiledir.LineSums(src)
		}
		return m
	}
	old := sums(map[string]string{"same.go": "same"})
	old.LineSums = nil // of a goprofinstr that did not know them
	list := []*profiledir.Manifest{
		sums(map[string]string{"same.go": "same", "other.go": "1"}),
		old,
		sums(map[string]string{"same.go": "same", "other.go": "2"}),
		sums(map[string]string{"other.go": "1", "more.go": "more"}),
	}
	for _, order := range [][]int{{0, 1, 2, 3}, {3, 2, 1, 0}, {1, 3, 0, 2}} {
		var m merger
		for _, i := range order {
			m.addManifest(list[i])
		}
		got := m.manifest.LineSums
		if len(got) != 2 || string(got["same.go"]) != string(profiledir.LineSums("same")) || got["more.go"] == nil {
			t.Errorf("%v: %q", order, got)
		}
	}
}
