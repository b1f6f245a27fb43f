package sourceroot

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// module makes a folder with a module m of two files with these texts.
func module(t *testing.T, a, b string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module m\n", "a.go": a, "b.go": b} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestSet: of the folder that the program was built in and the one around the command, that with fewer changed files is taken.
func TestSet(t *testing.T) {
	same, one, both := module(t, "a", "b"), module(t, "a", "x"), module(t, "x", "x")
	for _, test := range []struct{ root, here, want string }{
		{same, same, same},
		{same, one, same},
		{one, same, same},
		{one, both, one},
		{both, one, one},
		{one, module(t, "y", "b"), one},
		{"", both, both},
		{filepath.Join(same, "gone"), both, both},
		{one, t.TempDir(), one},
	} {
		p := &profile.Profile{Root: test.root, Sums: map[string]table.Sum{"a.go": table.SumOf([]byte("a")), "b.go": table.SumOf([]byte("b"))}}
		p.Packages = []*profile.Package{{Path: "m", Functions: []*profile.Function{{Package: "m", Table: &table.Function{File: "a.go"}}}}}
		told := Set(p, test.here)
		if p.Root != test.want || (told != "") != (test.want != test.root) {
			t.Errorf("built in %s, command in %s: root %s, told %q; want %s", test.root, test.here, p.Root, told, test.want)
		}
	}
}
