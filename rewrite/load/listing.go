package load

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/tools/go/packages"
)

// A Keeper keeps values from one run to the next, by words.
type Keeper interface {
	Get(words []string, value any) bool
	Put(words []string, value any)
}

// A listing is what the go command has listed, as it is kept.
type listing struct {
	Roots    []string // IDs
	Packages []listed // these and all that they import
	Watched  watched
	Stamps   []stamp // of what is watched
}

// listed is a package of a listing.
type listed struct {
	ID, Name, PkgPath, Dir, ForTest                  string
	GoFiles, OtherFiles, EmbedPatterns, IgnoredFiles []string
	Module                                           *packages.Module
	Imports                                          map[string]string // import path → ID
}

// listBuild lists the packages of the build. A listing that was kept is taken if nothing has changed that the go command looks
// at to list them.
func (c Config) listBuild() ([]*packages.Package, error) {
	if !c.keeps() {
		return c.list(listMode, c.Tests, c.Patterns)
	}
	words := c.listingWords()
	if kept, ok := c.kept(words); ok {
		if roots, ok := kept.restore(); ok {
			return roots, nil
		}
	}
	began := time.Now()
	roots, err := c.list(listMode, c.Tests, c.Patterns)
	if err == nil {
		if l, ok := c.newListing(roots, began); ok {
			c.Keeper.Put(words, l)
		}
	}
	return roots, err
}

// kept returns the listing that was kept, if nothing has changed.
func (c Config) kept(words []string) (l *listing, ok bool) {
	l = new(listing)
	if !c.Keeper.Get(words, l) {
		return nil, false
	}
	stamps, ok := c.stamps(&l.Watched)
	return l, ok && slices.Equal(stamps, l.Stamps)
}

// Unchanged returns a hash of what the go command looks at to list the packages of the build. It is not ok if something has
// changed since they were last listed, or they are not kept.
func (c Config) Unchanged() (s Sum, ok bool) {
	if !c.keeps() {
		return Sum{}, false
	}
	words := c.listingWords()
	l, ok := c.kept(words)
	if !ok {
		return Sum{}, false
	}
	h := newHash("unchanged")
	h.words(words...)
	for _, s := range l.Stamps {
		h.words(fmt.Sprint(s))
	}
	return h.sum(), true
}

// unkept are parts of flags with which the go command looks at more than is watched, or writes to go.mod.
var unkept = []string{"-overlay", "-modfile", "-mod=mod"}

// keeps reports whether listings of the build are kept. In a workspace there are several main modules, and a driver for
// go/packages is not the go command.
func (c Config) keeps() bool {
	if c.Keeper == nil || c.Workspace != "" {
		return false
	}
	flags := strings.Join(append(slices.Clone(c.BuildFlags), c.Described), " ")
	if slices.ContainsFunc(unkept, func(part string) bool { return strings.Contains(flags, part) }) {
		return false
	}
	if driver := os.Getenv("GOPACKAGESDRIVER"); driver != "" {
		return driver == "off"
	}
	_, err := exec.LookPath("gopackagesdriver")
	return err != nil
}

// listingWords returns all that decides what is listed, besides files.
func (c Config) listingWords() []string {
	dir, err := filepath.Abs(c.Dir)
	if err != nil {
		dir = c.Dir
	}
	tests := "build"
	if c.Tests {
		tests = "test"
	}
	words := []string{"listing", dir, c.Described, tests}
	env := c.Env
	if env == nil {
		env = os.Environ()
	}
	for _, entry := range slices.Sorted(slices.Values(env)) {
		if strings.HasPrefix(entry, "GO") || strings.HasPrefix(entry, "CGO") {
			words = append(words, entry)
		}
	}
	words = append(append(append(words, "flags"), c.BuildFlags...), "patterns")
	return append(words, c.Patterns...)
}

// newListing returns what the go command has listed since some moment, to be kept. It is not ok if a package has errors, or
// what was listed cannot be watched or may have changed since.
func (c Config) newListing(roots []*packages.Package, began time.Time) (l *listing, ok bool) {
	l = new(listing)
	ok = true
	packages.Visit(roots, nil, func(p *packages.Package) {
		ok = ok && len(p.Errors) == 0 && l.Watched.add(c, p)
		one := listed{
			ID: p.ID, Name: p.Name, PkgPath: p.PkgPath, Dir: p.Dir, ForTest: p.ForTest,
			GoFiles: p.GoFiles, OtherFiles: p.OtherFiles, EmbedPatterns: p.EmbedPatterns, IgnoredFiles: p.IgnoredFiles,
			Module: p.Module, Imports: make(map[string]string),
		}
		for path, imported := range p.Imports {
			one.Imports[path] = imported.ID
		}
		l.Packages = append(l.Packages, one)
	})
	for _, p := range roots {
		l.Roots = append(l.Roots, p.ID)
	}
	if !ok {
		return nil, false
	}
	l.Stamps, ok = c.stamps(&l.Watched)
	return l, ok && !slices.ContainsFunc(l.Stamps, func(s stamp) bool { return s.since(began.Add(-coarsest)) })
}

// restore returns the packages of a listing as go/packages returned them.
func (l *listing) restore() (roots []*packages.Package, ok bool) {
	byID := make(map[string]*packages.Package)
	for _, p := range l.Packages {
		byID[p.ID] = &packages.Package{
			ID: p.ID, Name: p.Name, PkgPath: p.PkgPath, Dir: p.Dir, ForTest: p.ForTest,
			GoFiles: p.GoFiles, OtherFiles: p.OtherFiles, EmbedPatterns: p.EmbedPatterns, IgnoredFiles: p.IgnoredFiles,
			Module: p.Module, Imports: make(map[string]*packages.Package),
		}
	}
	for _, p := range l.Packages {
		for path, id := range maps.All(p.Imports) {
			if byID[id] == nil {
				return nil, false
			}
			byID[p.ID].Imports[path] = byID[id]
		}
	}
	for _, id := range l.Roots {
		if byID[id] == nil {
			return nil, false
		}
		roots = append(roots, byID[id])
	}
	return roots, true
}
