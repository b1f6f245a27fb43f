package load

import (
	"bytes"
	"encoding/gob"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/txtar"
)

// A memory keeps values as they are kept in files.
type memory map[string][]byte

func (m memory) Get(words []string, value any) bool {
	data, ok := m[strings.Join(words, "\x00")]
	return ok && gob.NewDecoder(bytes.NewReader(data)).Decode(value) == nil
}

func (m memory) Put(words []string, value any) {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(value); err != nil {
		panic(err)
	}
	m[strings.Join(words, "\x00")] = b.Bytes()
}

// listingConfig lays a module out and returns what lists it.
func listingConfig(t *testing.T, module string) Config {
	t.Helper()
	old := coarsest
	coarsest = 0
	t.Cleanup(func() { coarsest = old })
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(module)).Files {
		writeFile(t, filepath.Join(dir, f.Name), string(f.Data))
	}
	out, err := exec.Command("go", "env", "GOROOT", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	return Config{
		Dir: dir, Patterns: []string{"./..."}, Tests: true, Keeper: make(memory), Settled: strings.Fields(string(out)),
		Env:     append(os.Environ(), "GOFLAGS=", "GOWORK=off"),
		Written: func(name string) bool { return name == filepath.Join(dir, "out") },
	}
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// isKept reports whether a listing is taken without the go command, which is not found.
func isKept(t *testing.T, c Config) ([]*packages.Package, bool) {
	t.Helper()
	t.Setenv("PATH", "")
	c.Env = append(c.Env, "PATH=")
	list, err := c.listBuild()
	return list, err == nil
}

// describe returns all that is exported of packages, by ID, with the IDs of what they import.
func describe(roots []*packages.Package) map[string]map[string]any {
	all := make(map[string]map[string]any)
	packages.Visit(roots, nil, func(p *packages.Package) {
		fields := make(map[string]any)
		v := reflect.ValueOf(*p)
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if f.IsExported() && f.Name != "Imports" && !v.Field(i).IsZero() {
				fields[f.Name] = v.Field(i).Interface()
			}
		}
		imports := make(map[string]string)
		for path, imported := range p.Imports {
			imports[path] = imported.ID
		}
		fields["Imports"] = imports
		all[p.ID] = fields
	})
	return all
}

const listingModule = `
-- go.mod --
module example.com/m

go 1.26
-- p/p.go --
package p

import (
	_ "embed"
	"strings"
	"example.com/m/q"
)

//go:embed text.txt
var Text string

var P = strings.ToUpper(q.Q)
-- p/text.txt --
text
-- p/tagged.go --
//go:build tagged

package p
-- p/p_test.go --
package p_test

import _ "testing"
-- q/q.go --
package q

const Q = "q"
`

// TestListing compares what was kept with what the go command lists.
func TestListing(t *testing.T) {
	c := listingConfig(t, listingModule)
	fresh, err := c.listBuild()
	if err != nil {
		t.Fatal(err)
	}
	kept, ok := isKept(t, c)
	if !ok {
		t.Fatal("it was not kept")
	}
	want, got := describe(fresh), describe(kept)
	for id := range want {
		if !reflect.DeepEqual(got[id], want[id]) {
			t.Errorf("%s: got %v\nwant %v", id, got[id], want[id])
		}
	}
	if len(got) != len(want) || len(kept) != len(fresh) {
		t.Errorf("%d packages, %d roots, want %d, %d", len(got), len(kept), len(want), len(fresh))
	}
	for i, p := range fresh {
		if kept[i].ID != p.ID {
			t.Errorf("root %d is %s, want %s", i, kept[i].ID, p.ID)
		}
	}
}

// TestListingChanged changes what the go command looks at: then it is asked again.
func TestListingChanged(t *testing.T) {
	file := func(name, text string) func(t *testing.T, c *Config) {
		return func(t *testing.T, c *Config) { writeFile(t, filepath.Join(c.Dir, name), text) }
	}
	for name, change := range map[string]func(t *testing.T, c *Config){
		"file":        file("q/q.go", "package q\n\nimport _ \"os\"\n\nconst Q = \"q\"\n"),
		"new file":    file("q/new.go", "package q\n\nimport _ \"os\"\n"),
		"new test":    file("q/q_test.go", "package q\n"),
		"new package": file("r/r.go", "package r\n"),
		"new module":  file("q/go.mod", "module example.com/other\n"),
		"go.mod":      file("go.mod", "module example.com/m\n\ngo 1.25\n"),
		"go.sum":      file("go.sum", "\n"),
		"go.work":     func(t *testing.T, c *Config) { c.Workspace = c.Dir },
		"new data":    file("p/more.txt", "text"), // which patterns of go:embed may match
		"ours":        file("out/q.go", "package out\n"),
		"removed": func(t *testing.T, c *Config) {
			if err := os.Remove(filepath.Join(c.Dir, "p", "p_test.go")); err != nil {
				t.Fatal(err)
			}
		},
		"time alone": func(t *testing.T, c *Config) { // as a checkout does that goes back to another commit of the same size
			writeFile(t, filepath.Join(c.Dir, "q", "new"), "package r\n\nconst Q = \"q\"\n")
			if err := os.Rename(filepath.Join(c.Dir, "q", "new"), filepath.Join(c.Dir, "q", "q.go")); err != nil {
				t.Fatal(err)
			}
		},
		"tags":        func(t *testing.T, c *Config) { c.BuildFlags = []string{"-tags=tagged"} },
		"GOFLAGS":     func(t *testing.T, c *Config) { c.Env = append(c.Env, "GOFLAGS=-tags=tagged") },
		"go env":      func(t *testing.T, c *Config) { c.Described = "GOOS=plan9" },
		"patterns":    func(t *testing.T, c *Config) { c.Patterns = []string{"./p"} },
		"without":     func(t *testing.T, c *Config) { c.Tests = false },
		"overlay":     func(t *testing.T, c *Config) { c.BuildFlags = []string{"-overlay=x.json"} },
		"driver":      func(t *testing.T, c *Config) { t.Setenv("GOPACKAGESDRIVER", "driver") },
		"other value": func(t *testing.T, c *Config) { c.Env = append(c.Env, "CGO_ENABLED=0") },
	} {
		t.Run(name, func(t *testing.T) {
			c := listingConfig(t, listingModule)
			if _, err := c.listBuild(); err != nil {
				t.Fatal(err)
			}
			t.Run("before", func(t *testing.T) {
				if _, ok := isKept(t, c); !ok {
					t.Error("it was not kept")
				}
			})
			change(t, &c)
			if _, ok := isKept(t, c); ok {
				t.Error("it was taken for what it is not any more")
			}
		})
	}
}

// TestListingUnchanged changes what the go command does not look at.
func TestListingUnchanged(t *testing.T) {
	for name, file := range map[string]string{
		"data":         "p/text.txt",
		"ours":         "out/manifest.json",
		"below ours":   "out/runs/1",
		"other module": "testdata/go.mod",
	} {
		t.Run(name, func(t *testing.T) {
			c := listingConfig(t, listingModule)
			if _, err := c.listBuild(); err != nil {
				t.Fatal(err)
			}
			writeFile(t, filepath.Join(c.Dir, file), "something else")
			if _, ok := isKept(t, c); !ok {
				t.Error("it was not kept")
			}
		})
	}
}

// TestListingUnkept lists what is not kept.
func TestListingUnkept(t *testing.T) {
	with := func(more string) string { return listingModule + more }
	for name, module := range map[string]string{
		"error":   with("-- q/bad.go --\npackage q\n\nimport _ \"example.com/none\"\n"),
		"replace": strings.Replace(with("-- other/go.mod --\nmodule example.com/other\n"), "go 1.26\n", "go 1.26\n\nreplace example.com/other => ./other\n", 1),
	} {
		t.Run(name, func(t *testing.T) {
			c := listingConfig(t, module)
			if _, err := c.listBuild(); err != nil {
				t.Fatal(err)
			}
			if _, ok := isKept(t, c); ok {
				t.Error("it was kept")
			}
		})
	}
	t.Run("young", func(t *testing.T) {
		c := listingConfig(t, listingModule)
		coarsest = 2 * time.Second
		if _, err := c.listBuild(); err != nil {
			t.Fatal(err)
		}
		if len(c.Keeper.(memory)) > 0 {
			t.Error("files have changed less than two seconds ago")
		}
	})
}

// TestListingLinks has a file that is a link: what it leads to is what is listed.
func TestListingLinks(t *testing.T) {
	c := listingConfig(t, listingModule)
	elsewhere := filepath.Join(t.TempDir(), "linked.go")
	writeFile(t, elsewhere, "package q\n")
	if err := os.Symlink(elsewhere, filepath.Join(c.Dir, "q", "linked.go")); err != nil {
		t.Fatal(err)
	}
	if _, err := c.listBuild(); err != nil {
		t.Fatal(err)
	}
	t.Run("before", func(t *testing.T) {
		if _, ok := isKept(t, c); !ok {
			t.Error("it was not kept")
		}
	})
	writeFile(t, elsewhere, "package q\n\nimport _ \"os\"\n")
	if _, ok := isKept(t, c); ok {
		t.Error("what a link leads to has changed")
	}
}

// TestListingLinkedFolder has a package whose folder is a link: nobody sees what is new where that leads to.
func TestListingLinkedFolder(t *testing.T) {
	c := listingConfig(t, listingModule+"-- user/user.go --\npackage user\n\nimport _ \"example.com/m/link\"\n")
	elsewhere := t.TempDir()
	writeFile(t, filepath.Join(elsewhere, "a.go"), "package link\n")
	if err := os.Symlink(elsewhere, filepath.Join(c.Dir, "link")); err != nil {
		t.Fatal(err)
	}
	if _, err := c.listBuild(); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(elsewhere, "new.go"), "package link\n")
	if _, ok := isKept(t, c); ok {
		t.Error("a file is new in a folder that a link leads to")
	}
}
