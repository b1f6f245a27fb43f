package selection

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// TestUntrackedModule has files that -modfile names, of which git shows no changes unless it tracks them.
func TestUntrackedModule(t *testing.T) {
	root, elsewhere := t.TempDir(), t.TempDir()
	for _, dir := range []string{root, elsewhere} {
		if err := os.WriteFile(filepath.Join(dir, "alt.mod"), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		modfile string
		want    bool
	}{
		{"", false},
		{filepath.Join(root, "alt.mod"), false},
		{filepath.Join(root, "..", filepath.Base(elsewhere), "alt.mod"), true},
		{filepath.Join(elsewhere, "alt.mod"), true},
	} {
		p := &listed{Dir: root, ImportPath: "p", root: true}
		s := &selector{
			root: root, modfile: test.modfile, packages: map[string]*listed{"p": p}, data: new(Data), result: make(map[string]*Package),
		}
		s.addUntracked(map[string]bool{"alt.mod": true})
		if got := len(s.result) > 0; got != test.want {
			t.Errorf("-modfile %q selects everything: %t", test.modfile, got)
		}
		s.addUntracked(nil)
		if got := len(s.result) > 0; got != (test.modfile != "") {
			t.Errorf("-modfile %q that is not tracked selects everything: %t", test.modfile, got)
		}
	}
}

// TestUntracked has a file of package p, which q imports, in several roles, and the packages all of whose tests it selects.
func TestUntracked(t *testing.T) {
	root := t.TempDir()
	dir, x := filepath.Join(root, "p"), []string{"x.go"}
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "x.go"), []byte("package p\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		listed
		was     string // what the file was when the data were made; "" if they do not tell
		tracked bool
		want    string
	}{
		"same":               {listed{GoFiles: x}, "package p // the same\n", false, ""},
		"other":              {listed{GoFiles: x}, "package p; const C = 1\n", false, "p q"},
		"other, but tracked": {listed{GoFiles: x}, "package p; const C = 1\n", true, ""},
		"not known":          {listed{GoFiles: x}, "", false, "p q"},
		"not built any more": {listed{}, "package p\n", false, "p q"},
		"cgo":                {listed{CgoFiles: x}, "", false, "p q"},
		"assembly":           {listed{SFiles: x}, "", false, "p q"},
		"embedded":           {listed{EmbedFiles: x}, "", false, "p q"},
		"test":               {listed{TestGoFiles: x}, "", false, "p"},
		"test of p_test":     {listed{XTestGoFiles: x}, "", false, "p"},
		"embedded in tests":  {listed{TestEmbedFiles: x}, "", false, "p"},
		"in the cache":       {listed{GoFiles: x, Standard: true}, "", false, ""},
	} {
		p, q := test.listed, &listed{Dir: filepath.Join(root, "q"), ImportPath: "q", root: true, tests: map[string]bool{"p": true}}
		p.Dir, p.ImportPath, p.root, p.tests = dir, "p", true, map[string]bool{"p": true}
		s := &selector{
			root: root, packages: map[string]*listed{"p": &p, "q": q}, dirs: map[string]*listed{dir: &p, q.Dir: q},
			data: &Data{sums: make(map[string]table.Sum)}, result: make(map[string]*Package),
		}
		if test.was != "" {
			s.data.sums["p/x.go"] = table.SumOf([]byte(test.was))
		}
		s.addUntracked(map[string]bool{"p/x.go": test.tracked})
		if got := strings.Join(slices.Sorted(maps.Keys(s.result)), " "); got != test.want {
			t.Errorf("%s: all tests of %q, want %q", name, got, test.want)
		}
	}
}
