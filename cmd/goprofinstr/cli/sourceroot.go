package cli

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"

	"golang.org/x/mod/modfile"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

// findSources has a profile take its sources from where the command runs, if that is in the module or workspace that ran
// and the profile does not say where its own are, or they are on another machine: a program of wrap go build does not
// know where it was built, so that its conditions would be lines and columns. Functions whose braces are elsewhere are
// not shown, as always.
func findSources(p *profile.Profile) {
	if p.Root != "" {
		if _, err := os.Stat(p.Root); err == nil {
			return
		}
	}
	dir, err := os.Getwd()
	if err != nil {
		return
	}
	if root := sourceRoot(dir, p); root != "" {
		p.Root = root
		fmt.Fprintf(os.Stderr, "goprofinstr: sources are those in %s, as they are now\n", show.Printable(root))
	}
}

// sourceRoot returns what names of p's files are relative to, "" if that is not around dir: the root of the module there or
// of the workspace.
func sourceRoot(dir string, p *profile.Profile) string {
	seen := false // a root of a module: those further up are of others
	for {
		mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && !seen {
			seen = true
			module := modfile.ModulePath(mod)
			if hasFile(dir, p, func(name string) string { return path.Join(module, path.Dir(name)) }) {
				return dir
			}
		}
		if _, err := os.Stat(filepath.Join(dir, "go.work")); err == nil && hasFile(dir, p, nil) {
			return dir
		}
		above := filepath.Dir(dir)
		if above == dir {
			return ""
		}
		dir = above
	}
}

// hasFile reports whether a file of p is below dir. If there is a function pkg, it says in which package each is.
func hasFile(dir string, p *profile.Profile, pkg func(name string) string) bool {
	return slices.ContainsFunc(p.Functions(), func(f *profile.Function) bool {
		name := f.Table.File
		if f.Outside() || !filepath.IsLocal(filepath.FromSlash(name)) || pkg != nil && pkg(name) != f.Package {
			return false
		}
		_, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name)))
		return err == nil
	})
}
