// Package sourceroot finds the sources of profiles in the module or workspace in which a command runs. Some profiles do not
// say where their sources are. Those of others are on another machine, or have changed.
package sourceroot

import (
	"os"
	"path"
	"path/filepath"
	"slices"

	"golang.org/x/mod/modfile"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/stale"
	"github.com/goprofinstr/goprofinstr/export/profile"
)

// Set has a profile take its sources from around the folder dir, if that is in the module or workspace that ran, and the
// profile does not have them where they were: of a program that was built with -trimpath or on another machine nobody knows
// where that is. The files may also have changed there since, or be those of another checkout: then the folder with fewer
// changed files is taken. Set returns the root that it has set, or "". Sources that are not what ran are not shown, as always.
func Set(p *profile.Profile, dir string) (root string) {
	root = around(dir, p)
	if root == "" || root == p.Root {
		return ""
	}
	if info, err := os.Stat(p.Root); err == nil && info.IsDir() && !better(p, root) {
		return ""
	}
	p.Root = root
	return root
}

// better reports whether fewer files have changed in a folder than below the root of p.
func better(p *profile.Profile, root string) bool {
	others := func(root string) int {
		changed, missing, _ := stale.Below(p, root)
		return len(changed) + len(missing)
	}
	return others(root) < others(p.Root)
}

// Around is Set for a folder that the user has named: the profile's own sources do not matter.
func Around(p *profile.Profile, dir string) (root string) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	if root = around(abs, p); root != "" {
		p.Root = root
	}
	return root
}

// Module returns the root and the path of the module that a folder is in, "" if it is in none.
func Module(dir string) (root, module string) {
	root = nearest(dir, "go.mod")
	if root == "" {
		return "", ""
	}
	data, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return "", ""
	}
	return root, modfile.ModulePath(data)
}

// nearest returns the nearest folder, dir or one that it is in, that has a file, "" if none has.
func nearest(dir, file string) string {
	for ; ; dir = filepath.Dir(dir) {
		if info, err := os.Stat(filepath.Join(dir, file)); err == nil && info.Mode().IsRegular() {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// around returns what names of p's files are relative to: the root of the module that dir is in, or of the workspace. It
// is "" if that is another one than p's.
func around(dir string, p *profile.Profile) string {
	root, module := Module(dir)
	inModule := func(name string) string { return path.Join(module, path.Dir(name)) }
	if root != "" && hasFile(root, p, inModule) {
		return root
	}
	if root = nearest(dir, "go.work"); root != "" && hasFile(root, p, nil) {
		return root
	}
	return ""
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
