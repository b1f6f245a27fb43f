package show

import (
	"path/filepath"
	"testing"
)

func TestShortPath(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "m")
	for _, test := range []struct{ name, want string }{
		{filepath.Join(dir, "a", "b.go"), filepath.Join(".", "a", "b.go")},
		{filepath.Join(dir, "..", "n", "b.go"), filepath.Join("..", "n", "b.go")},
		{"b.go", "b.go"}, // nobody says where it is
	} {
		want := test.want
		if test.name != want && want[0] != '.' {
			want = "." + string(filepath.Separator) + want
		}
		if got := ShortPath(dir, test.name); got != want {
			t.Errorf("%s: %s, want %s", test.name, got, want)
		}
	}
	if root := filepath.VolumeName(dir) + string(filepath.Separator); ShortPath(dir, root) != root {
		t.Errorf("%s: %s", root, ShortPath(dir, root)) // shorter than the way up to it
	}
}
