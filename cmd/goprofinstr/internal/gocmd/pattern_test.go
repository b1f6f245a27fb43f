package gocmd

import (
	"os"
	"path/filepath"
	"testing"
)

func TestPattern(t *testing.T) {
	if os.PathSeparator != '/' {
		t.Skip("patterns are import paths")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	for _, err := range []error{os.MkdirAll("m/p", 0o777), os.Symlink("m", "link")} {
		if err != nil {
			t.Fatal(err)
		}
	}
	const path = "example.com/m/p"
	for _, test := range []struct{ in, dir, want string }{
		{"", "m/p", "./m/p"},
		{"", ".", "."},
		{"m", "m/p", "./p"},
		{"m/p", "m", ".."},
		{"m/p", "x", "../../x"},
		{"link", "m/p", path},
		{"none", "m/p", path},
		{"", "a=b", path},
		{"", "a...b", path},
		{"", "a ", path},
		{"", "..x", "./..x"},
	} {
		c := &Command{Dir: test.in}
		if got := c.Pattern(path, filepath.Join(dir, test.dir)); got != test.want {
			t.Errorf("in %q, %s: %q, want %q", test.in, test.dir, got, test.want)
		}
	}
}
