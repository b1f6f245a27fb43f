package selection

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/alone"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/toolchain"
	"github.com/goprofinstr/goprofinstr/export/profiledir"
)

// workspace has two modules, and one that is none of its own.
const workspace = `
-- go.work --
go 1.25
use ./m
use ./n
-- m/go.mod --
module example.com/m
go 1.25
-- tools/go.mod --
module example.com/tools
go 1.25
-- tools/t.go --
package tools
-- m/c/c.go --
package c
// #include "c.h"
import "C"
func F() int { return int(C.f()) }
-- m/c/c.c --
int f(void) { return 1; }
-- m/c/c.h --
int f(void);
-- m/c/README.md --
-- m/c/c_test.go --
package c
-- m/s/s.go --
package s
func F() int
-- m/s/s_amd64.s --
TEXT ·F(SB), 4, $0-8
-- m/s/s_arm64.s --
TEXT ·F(SB), 4, $0-8
-- m/s/s_test.go --
package s
-- m/e/e.go --
package e
import "embed"
//go:embed data/*.txt
var FS embed.FS
-- m/e/data/a.txt --
-- m/e/data/b.md --
-- m/e/inner.txt --
-- m/e/outer.txt --
-- m/e/e_test.go --
package e
import _ "embed"
//go:embed inner.txt
var inner string
-- m/e/outer_test.go --
package e_test
import _ "embed"
//go:embed outer.txt
var outer string
-- n/go.mod --
module example.com/n
go 1.25
require example.com/m v0.0.0
-- n/user/user.go --
package user
import (
	_ "example.com/m/c"
	_ "example.com/m/e"
	_ "example.com/m/s"
)
-- n/user/user_test.go --
package user
-- n/idle/idle.go --
package idle
-- n/idle/idle_test.go --
package idle
`

// inWorkspace returns a selector of what the go command lists of the workspace, for Linux on amd64.
func inWorkspace(t *testing.T, cgo string) *selector {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range txtar.Parse([]byte(workspace)).Files {
		name := filepath.Join(root, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for name, value := range map[string]string{
		"GOWORK": "", "GOFLAGS": "", "GOPROXY": "off", "GOOS": "linux", "GOARCH": "amd64", "CGO_ENABLED": cgo,
	} {
		t.Setenv(name, value)
	}
	t.Chdir(root)
	c, err := gocmd.Parse([]string{"go", "test", "./m/...", "./n/..."})
	if err != nil {
		t.Fatal(err)
	}
	tc, err := toolchain.Find(c)
	if err != nil {
		t.Fatal(err)
	}
	if got := tc.Workspace(); got != root {
		t.Fatalf("the workspace is %s, want %s", got, root)
	}
	s := &selector{
		data: &Data{manifest: new(profiledir.Manifest), command: c, packages: make(map[string]*alone.Package)},
		root: root, dirs: make(map[string]*listed), result: make(map[string]*Package),
	}
	if s.packages, err = list(tc, c, root); err != nil {
		t.Fatal(err)
	}
	for _, p := range s.packages {
		s.dirs[p.Dir] = p
	}
	return s
}

// TestListed has files that are not Go, and the packages all of whose tests they select.
func TestListed(t *testing.T) {
	s := inWorkspace(t, "1")
	s.modfile = filepath.Join(s.root, "m", "alt.mod")
	for _, test := range []struct {
		file string
		gone bool
		want string
	}{
		{"m/c/c.c", false, "c user"},
		{"m/c/c.h", false, "c user"},
		{"m/c/gone.cpp", true, "c user"},
		{"m/c/README.md", false, ""},
		{"m/s/s_amd64.s", false, "s user"},
		{"m/s/s_arm64.s", false, ""},
		{"m/e/data/a.txt", false, "e user"},
		{"m/e/data/b.md", false, ""},
		{"m/e/data/gone.txt", true, "e user"}, // a pattern has had it
		{"m/e/gone.txt", true, ""},
		{"m/e/inner.txt", false, "e"},
		{"m/e/outer.txt", false, "e"},
		{"go.work", false, "c e idle s user"},
		{"m/go.mod", false, "c e idle s user"},
		{"n/go.sum", false, "c e idle s user"},
		{"m/alt.mod", false, "c e idle s user"},
		{"m/alt.sum", false, "c e idle s user"},
		{"n/alt.mod", false, ""},
		{"tools/go.mod", false, ""},
		{"tools/t.go", false, ""},
	} {
		clear(s.result)
		c := &changed{name: test.file, now: []byte{}}
		if test.gone {
			c.now = nil
		}
		s.addChanges([]*changed{c}, nil)
		var names []string
		for path, p := range s.result {
			if _, ok := p.reasons[""]; ok {
				names = append(names, path[strings.LastIndexByte(path, '/')+1:])
			}
		}
		slices.Sort(names)
		if got := strings.Join(names, " "); got != test.want {
			t.Errorf("%s selects all tests of %q, want %q", test.file, got, test.want)
		}
	}
}

// TestFiles has files on the command line. Their package has no path that go test would take.
func TestFiles(t *testing.T) {
	s := inWorkspace(t, "1")
	c, err := gocmd.Parse([]string{"go", "test", "n/idle/idle.go", "n/idle/idle_test.go"})
	if err != nil {
		t.Fatal(err)
	}
	tc, err := toolchain.Find(c)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := list(tc, c, s.root); err == nil || !strings.Contains(err.Error(), "with packages") {
		t.Error(err)
	}
}

// TestMatches has patterns of go:embed.
func TestMatches(t *testing.T) {
	for _, test := range []struct {
		pattern, name string
		want          bool
	}{
		{"*.go", "a.go", true},
		{"*.go", "sub/a.go", false},
		{"sub", "sub/deep/a.go", true},
		{"all:sub", "sub/_a.go", true},
		{"*", "sub/a.go", true},
		{"sub/*.txt", "sub/a.go", false},
	} {
		if got := matches([]string{test.pattern}, test.name); got != test.want {
			t.Errorf("%s has %s: %t", test.pattern, test.name, got)
		}
	}
}

// TestListedCgo: the file with import "C" is read as Go, and left out without cgo, as the C beside it is.
func TestListedCgo(t *testing.T) {
	for cgo, want := range map[string]bool{"1": true, "0": false} {
		t.Run("CGO_ENABLED="+cgo, func(t *testing.T) {
			s := inWorkspace(t, cgo)
			s.units = make(map[string][]*source)
			s.readSources()
			p := s.packages["example.com/m/c"]
			var read []string
			for _, src := range s.units[p.ImportPath] {
				read = append(read, src.name)
			}
			if got := slices.Contains(read, "c.go"); got != want {
				t.Errorf("c.go is read: %t; %q is", got, read)
			}
			if got := p.compiles(filepath.Join(p.Dir, "c.c")); got != want {
				t.Errorf("c.c is compiled: %t", got)
			}
		})
	}
}

// TestListLinked lists a folder by a name that leads over a link: packages have that name, too, or they are not below the root.
func TestListLinked(t *testing.T) {
	s := inWorkspace(t, "0")
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(s.root, link); err != nil {
		t.Skip(err)
	}
	t.Chdir(link)
	dir := filepath.Join(link, "m")
	s.data.command.Packages = []string{"./e"}
	tc, err := toolchain.Find(s.data.command)
	if err != nil {
		t.Fatal(err)
	}
	listed, err := list(tc, s.data.command, dir)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := listed["example.com/m/e"].Dir, filepath.Join(dir, "e"); got != want {
		t.Errorf("listed in %s: %s, want %s", dir, got, want)
	}
}
