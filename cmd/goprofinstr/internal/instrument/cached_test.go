package instrument

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/buildtest"
	"github.com/goprofinstr/goprofinstr/rewrite/target"
)

// A prepared is what the go command gets to see, with the contents of files instead of their names.
type prepared struct {
	Tables  [][]byte
	Files   map[string]string
	GoFlags []string
}

func prepare(t *testing.T, line string, o Options) prepared {
	t.Helper()
	c, tc := buildtest.Command(t, line)
	got, err := Prepare(c, tc, t.TempDir(), o)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(got.Overlay)
	if err != nil {
		t.Fatal(err)
	}
	var overlay target.Overlay
	if err := json.Unmarshal(data, &overlay); err != nil {
		t.Fatal(err)
	}
	p := prepared{Tables: got.Tables, Files: make(map[string]string)}
	for name, replacement := range overlay.Replace {
		src, err := os.ReadFile(replacement)
		if err != nil {
			t.Fatal(err)
		}
		p.Files[name] = string(src)
	}
	if p.GoFlags, err = got.Inlining.GoFlags(); err != nil {
		t.Fatal(err)
	}
	for i, flag := range p.GoFlags {
		p.GoFlags[i] = strings.ReplaceAll(flag, got.Store.Dir(), "")
	}
	return p
}

// TestCached makes sure that what comes from the cache is what an analysis makes, byte for byte.
func TestCached(t *testing.T) {
	buildtest.EmptyCache(t)
	const line = "go test ./testdata/cached"
	o := Options{Tests: true, Patterns: []string{"github.com/goprofinstr/...", "go/scanner", "os/user"}}
	cold := prepare(t, line, o)
	if len(cold.Tables) < 2 || len(cold.Files) == 0 || len(cold.GoFlags) == 0 {
		t.Fatalf("%d tables, %d files, %d flags: nothing to compare", len(cold.Tables), len(cold.Files), len(cold.GoFlags))
	}
	if diff := cmp.Diff(cold, prepare(t, line, o)); diff != "" {
		t.Errorf("from the cache (-cold +warm):\n%s", diff)
	}
	c, tc := buildtest.Command(t, line)
	s, err := start(c, tc, t.TempDir(), o)
	if err != nil {
		t.Fatal(err)
	}
	hooks, err := s.hooks(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range s.store.Rewriting(s.build, s.rewriteOptions(o, hooks, nil)).Missing() {
		t.Errorf("%s is not in the cache", p.ID)
	}
	// Damage to all entries is as good as none.
	filepath.WalkDir(filepath.Join(s.store.Dir(), "results"), func(name string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			err = os.WriteFile(name, []byte("no result"), 0o666)
		}
		return err
	})
	if diff := cmp.Diff(cold, prepare(t, line, o)); diff != "" {
		t.Errorf("from a damaged cache (-cold +damaged):\n%s", diff)
	}
}

// TestMade compares what is rewritten and inlined with export data that we have made and with that of the go command. The
// packages have generic functions, embedded files, assembly, and methods called init.
func TestMade(t *testing.T) {
	const line = "go build ./testdata/made cmd/gofmt"
	o := Options{Patterns: []string{"github.com/goprofinstr/...", "go/...", "cmd/gofmt", "math/big", "slices", "container/..."}}
	buildtest.EmptyCache(t)
	made := prepare(t, line, o)
	for _, p := range []string{"go/scanner", "go/ast", "math/big", testPackage + "/leaf", testPackage + "/other"} {
		if !kept(t, line, o, p) {
			t.Errorf("the export data of %s was not made", p)
		}
	}
	buildtest.EmptyCache(t)
	o.goCompiles = true
	if diff := cmp.Diff(prepare(t, line, o), made); diff != "" {
		t.Errorf("(-go command +made):\n%s", diff)
	}
	if len(made.GoFlags) == 0 {
		t.Error("nothing is inlined")
	}
}

const testPackage = "github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/instrument/testdata/made"

// kept reports whether export data of a package has been made.
func kept(t *testing.T, line string, o Options, path string) bool {
	t.Helper()
	c, tc := buildtest.Command(t, line)
	s, err := start(c, tc, t.TempDir(), o)
	if err != nil {
		t.Fatal(err)
	}
	return s.store.Exports(c, s.build).Made(path)
}

// TestNoCache has no folder for the cache.
func TestNoCache(t *testing.T) {
	buildtest.EmptyCache(t)
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("HOME", "")
	t.Setenv("LocalAppData", "")
	t.Setenv("GOFLAGS", "-modcacherw")
	t.Setenv("GOPATH", t.TempDir())
	if got := prepare(t, "go test go/scanner", Options{Patterns: []string{"go/scanner"}}); len(got.Tables) != 1 {
		t.Errorf("%d packages, want 1", len(got.Tables))
	}
}
