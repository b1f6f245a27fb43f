// Package stale tells which sources are not what they were when a program was built: its lines are others then.
package stale

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/show"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
)

// mostSource is what is read of a source file, in bytes.
const mostSource = 64 << 20

// Is reports whether a source file below the root of p is another one now. Files that were not instrumented, such as
// tests, are never stale. A file that has gone is an error.
func Is(p *profile.Profile, name string) (bool, error) { return isBelow(p, p.Root, name) }

func isBelow(p *profile.Profile, root, name string) (bool, error) {
	want, ok := p.Sums[name]
	if !ok || len(want) == 0 { // merged runs of files that differ
		return ok, nil
	}
	src, err := rundata.ReadWhole(filepath.Join(root, filepath.FromSlash(name)), mostSource)
	if err != nil {
		return false, err
	}
	return !want.Is(src), nil
}

// Below returns the instrumented files of the module of p that a folder does not have as they were, by name: those that have
// changed, and those that are not there. None tells that none is there at all, so that it is another folder.
func Below(p *profile.Profile, root string) (changed, missing []string, none bool) {
	none = true
	for _, name := range files(p) {
		is, err := isBelow(p, root, name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			missing = append(missing, name)
			continue
		case is || err != nil:
			changed = append(changed, name)
		}
		none = false
	}
	return changed, missing, none
}

// files returns the names of the files of p that are below its root, sorted.
func files(p *profile.Profile) []string {
	outside := make(map[string]bool)
	for _, pkg := range p.Packages {
		for _, s := range pkg.Sources {
			outside[s.File] = pkg.IsOutside(s.File)
		}
	}
	return slices.DeleteFunc(slices.Sorted(maps.Keys(p.Sums)), func(name string) bool {
		return outside[name] || !filepath.IsLocal(filepath.FromSlash(name))
	})
}

// Mark notes in p which files have changed below its root, or are not there any more, and returns a sentence about them.
// It is "" if there are none, or if that cannot be known: a profile may have been made on another machine. Dir is where the
// profile is.
func Mark(p *profile.Profile, dir string) string {
	if p.Root == "" {
		return ""
	}
	changed, missing, none := Below(p, p.Root)
	if none {
		return ""
	}
	changed = slices.Sorted(slices.Values(slices.Concat(changed, missing)))
	p.Changed = make(map[string]bool)
	for _, name := range changed {
		p.Changed[name] = true
	}
	if len(changed) == 0 {
		return ""
	}
	return warning(p, dir, changed)
}

// warning says which files have changed, and what to do.
func warning(p *profile.Profile, dir string, changed []string) string {
	what, such := show.Printable(changed[0])+" has", ""
	if len(changed) > 1 {
		what, such = fmt.Sprintf("%d files have", len(changed)), ", such as "+show.Printable(changed[0])
	}
	if p.Built {
		return fmt.Sprintf("%s changed since the program was built%s: not used; "+
			"-src DIR takes the sources of the build's commit", what, such)
	}
	return fmt.Sprintf("%s changed since %s was made%s: run goprofinstr wrap again", what, dir, such)
}
