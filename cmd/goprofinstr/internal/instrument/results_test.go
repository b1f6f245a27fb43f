package instrument

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/rewrite"
	"github.com/goprofinstr/goprofinstr/rewrite/target"
)

// wrapped returns the command and the toolchain of a go command line.
func wrapped(t *testing.T, line string) (*gocmd.Command, *Toolchain) {
	t.Helper()
	if testing.Short() {
		t.Skip("runs the go command")
	}
	c, err := gocmd.Parse(strings.Fields(line))
	if err != nil {
		t.Fatal(err)
	}
	tc, err := FindToolchain(c)
	if err != nil {
		t.Fatal(err)
	}
	return c, tc
}

// emptyCache has the test use an empty cache of ours, and the go command its own.
func emptyCache(t *testing.T) {
	t.Helper()
	out, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOCACHE", strings.TrimSpace(string(out)))
	setCacheDir(t, t.TempDir())
}

// setCacheDir sets what os.UserCacheDir returns, on each system.
func setCacheDir(t *testing.T, dir string) {
	t.Setenv("XDG_CACHE_HOME", dir)
	t.Setenv("HOME", dir)
	t.Setenv("LocalAppData", dir)
}

// A prepared is what the go command gets to see, with the contents of files instead of their names.
type prepared struct {
	Tables  [][]byte
	Files   map[string]string
	GoFlags []string
}

func prepare(t *testing.T, line string, o Options) prepared {
	t.Helper()
	c, tc := wrapped(t, line)
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
	return p
}

// TestCached makes sure that what comes from the cache is what an analysis makes, byte for byte.
func TestCached(t *testing.T) {
	emptyCache(t)
	const line = "go test ./testdata/cached"
	o := Options{Tests: true, Patterns: []string{"github.com/goprofinstr/...", "go/scanner", "os/user"}}
	cold := prepare(t, line, o)
	if len(cold.Tables) < 2 || len(cold.Files) == 0 || len(cold.GoFlags) == 0 {
		t.Fatalf("%d tables, %d files, %d flags: nothing to compare", len(cold.Tables), len(cold.Files), len(cold.GoFlags))
	}
	if diff := cmp.Diff(cold, prepare(t, line, o)); diff != "" {
		t.Errorf("from the cache (-cold +warm):\n%s", diff)
	}
	c, tc := wrapped(t, line)
	build, _, err := loadBuild(c, tc, nil, o)
	if err != nil {
		t.Fatal(err)
	}
	r := openResults(tc)
	for _, p := range build.Packages {
		if r.known(r.packageKey(build, p, rewriteOptions(c, tc, o, true, nil))) == nil {
			t.Errorf("%s is not in the cache", p.ID)
		}
	}
	// Damage to all entries is as good as none.
	filepath.WalkDir(filepath.Join(r.dir, "results"), func(name string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			err = os.WriteFile(name, []byte("no result"), 0o666)
		}
		return err
	})
	if diff := cmp.Diff(cold, prepare(t, line, o)); diff != "" {
		t.Errorf("from a damaged cache (-cold +damaged):\n%s", diff)
	}
}

// TestNoCache has no folder for the cache.
func TestNoCache(t *testing.T) {
	emptyCache(t)
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("HOME", "")
	t.Setenv("LocalAppData", "")
	t.Setenv("GOFLAGS", "-modcacherw")
	t.Setenv("GOPATH", t.TempDir())
	if got := prepare(t, "go test go/scanner", Options{Patterns: []string{"go/scanner"}}); len(got.Tables) != 1 {
		t.Errorf("%d packages, want 1", len(got.Tables))
	}
}

// TestPackageKey changes what is in the key besides the sources, which package load's test changes.
func TestPackageKey(t *testing.T) {
	emptyCache(t)
	o := Options{Patterns: []string{"go/scanner"}}
	c, tc := wrapped(t, "go test go/scanner")
	build, _, err := loadBuild(c, tc, nil, o)
	if err != nil {
		t.Fatal(err)
	}
	p := build.Packages[0]
	plain := rewriteOptions(c, tc, o, true, nil)
	key := openResults(tc).packageKey(build, p, plain)

	for name, change := range map[string]func(*rewrite.Options){
		"atomic": func(o *rewrite.Options) { o.Atomic = true },
		"race":   func(o *rewrite.Options) { o.Race = true },
		"hooks":  func(o *rewrite.Options) { o.Abandoned = false },
		"gaps":   func(o *rewrite.Options) { o.SplitAtGaps = !o.SplitAtGaps },
	} {
		changed := plain
		change(&changed)
		if openResults(tc).packageKey(build, p, changed) == key {
			t.Errorf("%s: the same key", name)
		}
	}
	for name, change := range map[string]func(*Toolchain){
		"release": func(tc *Toolchain) { tc.GOVERSION = "go1.26.0" },
		"system":  func(tc *Toolchain) { tc.GOOS = "plan9" },
		"arch":    func(tc *Toolchain) { tc.GOARCH = "386" },
	} {
		changed := *tc
		change(&changed)
		if openResults(&changed).packageKey(build, p, plain) == key {
			t.Errorf("%s: the same key", name)
		}
	}
	other := openResults(tc)
	c1, _ := other.open()
	other.open = func() (opened, bool) { return opened{c1.Cache, c1.tool + "."}, true }
	if other.packageKey(build, p, plain) == key {
		t.Error("another tool: the same key")
	}
	p.Declined = "for a reason"
	if openResults(tc).packageKey(build, p, plain) == key {
		t.Error("declined: the same key")
	}
}

// TestMissing asks about a build cache that is empty.
func TestMissing(t *testing.T) {
	emptyCache(t)
	t.Setenv("GOCACHE", t.TempDir())
	c, tc := wrapped(t, "go build errors")
	hooks := target.RuntimeHooks(target.Toolchain{GOROOT: tc.GOROOT, GOOS: tc.GOOS, GOARCH: tc.GOARCH}, false, os.ReadFile)
	overlay, err := target.Write(t.TempDir(), target.Toolchain{GOROOT: tc.GOROOT, GOOS: tc.GOOS, GOARCH: tc.GOARCH}, target.Sources{Hooks: hooks})
	if err != nil {
		t.Fatal(err)
	}
	if !openResults(tc).std(c, overlay, hooks).Missing() {
		t.Error("the standard library is not missing in an empty build cache")
	}
}
