// Package buildtest helps tests that need a go command's build.
package buildtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/toolchain"
	"github.com/goprofinstr/goprofinstr/rewrite/load"
	"github.com/goprofinstr/goprofinstr/rewrite/target"
)

// Command returns the command and the toolchain of a go command line.
func Command(t *testing.T, line string) (*gocmd.Command, *toolchain.Toolchain) {
	t.Helper()
	if testing.Short() {
		t.Skip("runs the go command")
	}
	c, err := gocmd.Parse(strings.Fields(line))
	if err != nil {
		t.Fatal(err)
	}
	tc, err := toolchain.Find(c)
	if err != nil {
		t.Fatal(err)
	}
	return c, tc
}

// EmptyCache has the test use an empty cache of ours, and the go command its own.
func EmptyCache(t *testing.T) {
	t.Helper()
	out, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOCACHE", strings.TrimSpace(string(out)))
	if config, err := os.UserConfigDir(); err == nil {
		t.Setenv("XDG_CONFIG_HOME", config) // where a process that the go command leaves behind writes
	}
	SetCacheDir(t, t.TempDir())
}

// SetCacheDir sets what os.UserCacheDir returns, on each system.
func SetCacheDir(t *testing.T, dir string) {
	t.Setenv("XDG_CACHE_HOME", dir)
	t.Setenv("HOME", dir)
	t.Setenv("LocalAppData", dir)
}

// Load lists the packages of a go command. Those that match one of the patterns are to be instrumented; without
// patterns, those of the main module.
func Load(t *testing.T, c *gocmd.Command, tc *toolchain.Toolchain, testFiles bool, patterns ...string) *load.Build {
	t.Helper()
	reserved, err := target.RuntimeImports(tc.GOOS, tc.GOARCH)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.Abs(c.Dir)
	if err != nil {
		t.Fatal(err)
	}
	flags, env := tc.LoadFlags(c)
	var user *target.Overlay
	build, err := load.Load(load.Config{
		Dir:        c.Dir,
		BuildFlags: flags,
		Env:        env,
		Patterns:   c.Packages,
		Tests:      c.Verb == "test",
		TestFiles:  testFiles,
		Select: func(p *packages.Package) bool {
			matches := func(pattern string) bool { return load.Match(pattern, dir)(load.SubjectOf(p)) }
			return len(patterns) == 0 && load.InMain(p) || slices.ContainsFunc(patterns, matches)
		},
		Reserved: reserved,
		ModCache: tc.GOMODCACHE,
		Source:   user.Source,
	})
	if err != nil {
		t.Fatal(err)
	}
	return build
}
