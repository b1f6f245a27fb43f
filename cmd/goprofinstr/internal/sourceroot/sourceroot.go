// Package sourceroot finds the sources of profiles that do not say where these are, or whose are on another machine: in the
// module or workspace in which a command runs.
package sourceroot

import (
	"os"
	"path"
	"path/filepath"
	"slices"

	"golang.org/x/mod/modfile"

	"github.com/goprofinstr/goprofinstr/export/profile"
)

// Set has a profile take its sources from around the folder dir, if that is in the module or workspace that ran and the
// profile has none of its own: a program of wrap go build does not know where it was built, so that its conditions
// would be lines and columns. It returns the root, "" if nothing has changed. Functions whose braces are elsewhere are
// not shown, as always.
func Set(p *profile.Profile, dir string) (root string) {
	if p.Root != "" {
		if _, err := os.Stat(p.Root); err == nil {
			return ""
		}
	}
	if root = around(dir, p); root != "" {
		p.Root = root
	}
	return root
}

// around returns what names of p's files are relative to: the root of the module that dir is in, or of the workspace. It
// is "" if that is another one than p's.
func around(dir string, p *profile.Profile) string {
	seen := false // a root of a module: those further up are of others
	for {
		mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && !seen {
			seen = true
			module := modfile.ModulePath(mod)
			inModule := func(name string) string { return path.Join(module, path.Dir(name)) }
			if hasFile(dir, p, inModule) {
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
		name := filepath.FromSlash(f.Table.File)
		if f.Outside() || !filepath.IsLocal(name) || pkg != nil && pkg(f.Table.File) != f.Package {
			return false
		}
		_, err := os.Stat(filepath.Join(dir, name))
		return err == nil
	})
}
