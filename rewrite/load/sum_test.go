package load

import (
	"maps"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/txtar"
)

const sumModule = `
-- go.mod --
module example.com/m

go 1.26
-- p/p.go --
package p

import "example.com/m/q"

const P = q.Q
-- p/p_linux.go --
package p
-- p/p_tagged.go --
//go:build tagged

package p
-- p/p_test.go --
package p
-- q/q.go --
package q

import "example.com/m/r"

const Q = r.R
-- r/r.go --
package r

const R = 1
-- other/other.go --
package other
`

// sum loads the module with some files replaced and returns the hash of package p, and that of the build.
func sum(t *testing.T, dir string, c Config, changed map[string]string) (p, all Sum) {
	t.Helper()
	files := make(map[string]string)
	for _, f := range txtar.Parse([]byte(sumModule)).Files {
		files[f.Name] = string(f.Data)
	}
	maps.Copy(files, changed)
	os.RemoveAll(dir)
	for name, data := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	c.Dir, c.Source, c.Tests, c.Patterns = dir, os.ReadFile, true, []string{"./..."}
	c.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	c.Select = func(p *packages.Package) bool { return p.PkgPath == "example.com/m/p" }
	b, err := Load(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, pkg := range b.Packages {
		if pkg.ID == "example.com/m/p" {
			return b.Sum(pkg), b.SumAll()
		}
	}
	t.Fatal("p is not in the build")
	return p, all
}

func TestSum(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	dir := filepath.Join(t.TempDir(), "m")
	same, sameAll := sum(t, dir, Config{}, nil)
	tests := []struct {
		name     string
		config   Config
		changed  map[string]string
		same     bool // the hash of p
		sameAll  bool
		otherDir bool
	}{
		{name: "nothing", same: true, sameAll: true},
		{name: "own file", changed: map[string]string{"p/p.go": "package p\n\nimport \"example.com/m/q\"\n\nconst P = 2*q.Q\n"}},
		{name: "new file", changed: map[string]string{"p/new.go": "package p\n"}},
		{name: "renamed file", changed: map[string]string{"p/p_linux.go": "//go:build never\n\npackage p\n", "p/p2.go": "package p\n"}},
		{name: "test file beside", changed: map[string]string{"p/p_test.go": "package p\n\nvar inTest int\n"}},
		{name: "import", changed: map[string]string{"q/q.go": "package q\n\nconst Q = 2\n"}},
		{name: "import of import", changed: map[string]string{"r/r.go": "package r\n\nconst R = 2\n"}},
		{name: "language version", changed: map[string]string{"go.mod": "module example.com/m\n\ngo 1.21\n"}},
		{name: "tags", config: Config{BuildFlags: []string{"-tags=tagged"}}},
		{name: "settled", config: Config{Settled: []string{dir}}},
		{name: "another package", changed: map[string]string{"other/other.go": "package other\n\nvar x int\n"}, same: true},
		{name: "file of another system", changed: map[string]string{"q/q_plan9.go": "package q\n"}, same: true, sameAll: true},
		{name: "other folder", otherDir: true},
	}
	for _, test := range tests {
		in := dir
		if test.otherDir {
			in = filepath.Join(t.TempDir(), "m")
		}
		p, all := sum(t, in, test.config, test.changed)
		if (p == same) != test.same {
			t.Errorf("%s: the package's hash is the same: %v, want %v", test.name, p == same, test.same)
		}
		if (all == sameAll) != test.sameAll {
			t.Errorf("%s: the build's hash is the same: %v, want %v", test.name, all == sameAll, test.sameAll)
		}
	}
}
