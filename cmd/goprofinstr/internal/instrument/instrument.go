// Package instrument goes from a go command line to all that the go command
// needs to build the same packages with counters in them.
package instrument

import (
	"fmt"
	"go/types"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"golang.org/x/tools/go/packages"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/rewrite"
	"github.com/goprofinstr/goprofinstr/rewrite/load"
	"github.com/goprofinstr/goprofinstr/rewrite/target"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// Options are the choices of the user.
type Options struct {
	Patterns []string // packages to instrument; none means those of the main module
	Atomic   bool
}

// Target is what was prepared.
type Target struct {
	Overlay  string // for the go command's -overlay
	Manifest profile.Manifest
	Tables   []*table.Package
}

// Prepare loads the packages that c builds, rewrites those that are selected and
// writes the results to the folder work.
func Prepare(c *gocmd.Command, tc *Toolchain, work string, o Options) (*Target, error) {
	user, err := userOverlay(c)
	if err != nil {
		return nil, err
	}
	build, err := load.Load(load.Config{
		Dir:        c.Dir,
		BuildFlags: c.LoadFlags(),
		Patterns:   c.Packages,
		Tests:      c.Verb == "test",
		Select:     selector(o.Patterns),
		ModCache:   tc.GOMODCACHE,
		Source:     source(user),
	})
	if err != nil {
		return nil, err
	}
	packages, err := rewriteAll(build, rewrite.Options{Atomic: o.Atomic || c.Is("race"), Sizes: types.SizesFor("gc", tc.GOARCH)})
	if err != nil {
		return nil, err
	}
	t := &Target{Manifest: profile.Manifest{
		Mode:    "exact",
		Root:    root(build),
		Go:      tc.GOVERSION,
		Command: append([]string{c.Go}, c.Args()...),
	}}
	files := make(map[string][]byte)
	for _, p := range packages {
		t.Tables = append(t.Tables, p.Table)
		for name, data := range p.Files {
			files[tc.Name(name)] = data
		}
	}
	where := target.Toolchain{GOROOT: tc.GOROOT, GOOS: tc.GOOS, GOARCH: tc.GOARCH}
	t.Overlay, err = target.Write(work, where, files, user)
	return t, err
}

// rewriteAll rewrites the packages, several at a time, and returns them in order.
func rewriteAll(b *load.Build, o rewrite.Options) ([]*rewrite.Package, error) {
	out := make([]*rewrite.Package, len(b.Packages))
	errs := make([]error, len(b.Packages))
	limit := make(chan bool, runtime.GOMAXPROCS(0))
	var wg sync.WaitGroup
	for i, p := range b.Packages {
		limit <- true
		wg.Go(func() {
			defer func() { <-limit }()
			out[i], errs[i] = rewrite.Rewrite(b, p, o)
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// selector returns the function that decides which packages are instrumented.
func selector(patterns []string) func(*packages.Package) bool {
	if len(patterns) == 0 {
		return func(p *packages.Package) bool {
			return p.Module != nil && p.Module.Main || p.PkgPath == "command-line-arguments"
		}
	}
	return func(p *packages.Package) bool {
		for _, pattern := range patterns {
			if matches(pattern, p) {
				return true
			}
		}
		return false
	}
}

// matches reports whether an import path pattern, as in `go help packages`, matches p.
func matches(pattern string, p *packages.Package) bool {
	switch pattern {
	case "all":
		return true
	case "std":
		return p.Module == nil && p.PkgPath != "command-line-arguments"
	}
	if prefix, ok := strings.CutSuffix(pattern, "/..."); ok && (p.PkgPath == prefix || strings.HasPrefix(p.PkgPath, prefix+"/")) {
		return true
	}
	return pattern == p.PkgPath
}

// root returns the main module's root, or "".
func root(b *load.Build) string {
	for _, p := range b.Packages {
		if p.Module != nil && p.Module.Main {
			return p.Module.Dir
		}
	}
	return ""
}

// userOverlay reads the overlay on the command line and takes its flag off.
func userOverlay(c *gocmd.Command) (*target.Overlay, error) {
	name, ok := c.Lookup("overlay")
	if !ok {
		return nil, nil
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(c.Dir, name)
	}
	user, err := target.ReadOverlay(name, c.Dir)
	if err != nil {
		return nil, fmt.Errorf("-overlay: %v", err)
	}
	return user, nil
}

// source returns a function that reads source files through the user's overlay.
func source(user *target.Overlay) func(string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		if user != nil {
			if replacement, ok := user.Replace[name]; ok {
				name = replacement
			}
		}
		return os.ReadFile(name)
	}
}
