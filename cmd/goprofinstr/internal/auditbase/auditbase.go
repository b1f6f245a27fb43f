// Package auditbase finds what a change has made of functions, for audit -base: it has git tell which files are not as at
// the merge base, and gives their packages the functions of then as variants.
//
//	b, err := auditbase.Find(root, "origin/main", context)
//	err = b.Choose(build)          // leaves the packages that have changed
//	… their export data is loaded …
//	t, err := b.Pair(build, sizes, copies, selected)
//
// Git is asked for the contents of files. Nothing is checked out.
package auditbase

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gitdiff"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/mergebase"
	"github.com/goprofinstr/goprofinstr/export/audit"
	"github.com/goprofinstr/goprofinstr/internal/show"
	"github.com/goprofinstr/goprofinstr/rewrite"
	"github.com/goprofinstr/goprofinstr/rewrite/base"
	"github.com/goprofinstr/goprofinstr/rewrite/load"
	rtaudit "github.com/goprofinstr/goprofinstr/rt/audit"
)

// A Base is the commit that a change begins at.
type Base struct {
	*mergebase.Base

	root    string
	context build.Context
	changed []string               // Go files, relative to root
	files   map[string][]base.File // at the base, by package ID
	outside int                    // changed files of packages that are not built
	left    []string               // folders of these, relative to root
	fresh   []string               // import paths of packages that are new
}

// Find returns the merge base of a revision and HEAD in the repository around the root of a module or workspace. The context says
// which files are built.
func Find(root, rev string, context build.Context) (*Base, error) {
	found, err := mergebase.Find(root, rev)
	if err != nil {
		return nil, err
	}
	b := &Base{Base: found, root: root, context: context, files: make(map[string][]base.File)}
	b.changed, err = gitdiff.GoFiles(root, found.Commit)
	b.changed = slices.DeleteFunc(b.changed, func(name string) bool { return strings.HasSuffix(name, "_test.go") })
	return b, err
}

// Choose leaves only the packages in a build that have changed, and notes what they imported.
func (b *Base) Choose(build *load.Build) error {
	left := make(map[string][]string) // names of changed files by folder
	for _, name := range b.changed {
		left[path.Dir(name)] = append(left[path.Dir(name)], path.Base(name))
	}
	var chosen []*load.Package
	for _, p := range build.Packages {
		folder, ok := b.folder(p)
		if !ok || len(left[folder]) == 0 {
			continue
		}
		delete(left, folder)
		files, err := b.filesOf(p, folder)
		if err != nil {
			return err
		}
		if len(files) == 0 {
			b.fresh = append(b.fresh, p.Path)
			continue
		}
		for _, f := range files {
			if err := p.AddImports(f.Name, f.Src); err != nil {
				return fmt.Errorf("at the base %.12s: %w", b.Commit, err)
			}
		}
		b.files[p.ID], chosen = files, append(chosen, p)
	}
	for folder, names := range left {
		b.outside += len(names)
		b.left = append(b.left, folder)
	}
	build.Packages, build.Cached = chosen, nil
	return nil
}

// Functions returns the names of the functions that a package has, at the head or at the base. Choose has to be first.
func (b *Base) Functions(p *load.Package) (names []string, err error) {
	files := slices.Clone(b.files[p.ID])
	for _, f := range p.Files {
		files = append(files, base.File{Name: f.Name, Src: f.Src})
	}
	return functionsIn(files)
}

// Deleted returns the names of the functions of packages that were at the base, and of which no Go file is left, by the import
// path of then. Modules below the root are the build's in a workspace only. Choose has to be first.
func (b *Base) Deleted(workspace bool) (map[string][]string, error) {
	deleted := make(map[string][]string)
	for _, folder := range b.left {
		dir := filepath.Join(b.root, filepath.FromSlash(folder))
		if there, _ := fs.Glob(os.DirFS(dir), "*.go"); len(there) > 0 {
			continue
		}
		importPath, err := b.importPath(folder, workspace)
		if err != nil {
			return nil, err
		}
		if importPath == "" {
			continue
		}
		files, err := b.filesOf(&load.Package{Path: importPath, Dir: dir}, folder)
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			if names, err := functionsIn([]base.File{f}); err == nil { // what does not parse was in no program
				deleted[importPath] = append(deleted[importPath], names...)
			}
		}
	}
	return deleted, nil
}

// importPath returns the import path that a folder had at the base. It is "" where patterns of the go command find no package:
// in folders whose names it leaves out, and in other modules.
func (b *Base) importPath(folder string, workspace bool) (string, error) {
	for name := range strings.SplitSeq(folder, "/") {
		if name == "testdata" || name == "vendor" || name != "." && strings.ContainsAny(name[:1], "._") {
			return "", nil
		}
	}
	for dir := folder; ; dir = path.Dir(dir) {
		mod, err := gitdiff.File(b.root, b.Commit, path.Join(dir, "go.mod"))
		switch {
		case err != nil:
			return "", err
		case mod != nil && dir == ".":
			return path.Join(modfile.ModulePath(mod), folder), nil
		case mod != nil && workspace:
			return path.Join(modfile.ModulePath(mod), strings.TrimPrefix(folder, dir)), nil
		case mod != nil:
			return "", nil
		case dir == ".":
			return folder, nil
		}
	}
}

// functionsIn returns the names of the functions that are declared in files.
func functionsIn(files []base.File) (names []string, err error) {
	for _, f := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), f.Name, f.Src, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range parsed.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				names = append(names, rewrite.FuncName(fn))
			}
		}
	}
	return names, nil
}

// folder returns the folder of a package, relative to the root.
func (b *Base) folder(p *load.Package) (folder string, ok bool) {
	folder, err := filepath.Rel(b.root, p.Dir)
	return filepath.ToSlash(folder), err == nil && filepath.IsLocal(folder) && !p.TestFiles
}

// filesOf returns the files of a package at the base that are built.
func (b *Base) filesOf(p *load.Package, folder string) (files []base.File, err error) {
	at, err := gitdiff.FilesAt(b.root, b.Commit, folder)
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, len(at))
	for name := range at {
		names = append(names, name)
	}
	slices.Sort(names)
	context := b.context
	context.OpenFile = func(file string) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(at[filepath.Base(file)])), nil
	}
	for _, name := range names {
		if p.Path == load.FilesPackage { // of files on the command line
			if !slices.ContainsFunc(p.Files, func(f *load.File) bool { return filepath.Base(f.Name) == name }) {
				continue
			}
		} else if ok, err := context.MatchFile(p.Dir, name); err != nil || !ok {
			continue
		}
		files = append(files, base.File{Name: filepath.Join(p.Dir, name), Src: at[name]})
	}
	return files, nil
}

// A Target is what is audited.
type Target struct {
	Base    audit.Base
	Names   map[string]string        // what a version is called, by its name in the program; copies are called alike
	Sources map[string]audit.Version // those of the base, by the full name of the function
	Added   []string                 // files, by absolute name
}

// Pair gives packages, which have been parsed, the functions of the base, with so many copies of both versions.
func (b *Base) Pair(built *load.Build, sizes types.Sizes, copies int, selected func(path, name string) bool) (*Target, error) {
	t := &Target{Base: audit.Base{Revision: b.Revision, Commit: b.Commit},
		Names: make(map[string]string), Sources: make(map[string]audit.Version)}
	b.tellPackages(t)
	pairings := make(map[string]*base.Pairing)
	changed := make(map[string]map[string]bool)
	for _, p := range built.Packages {
		if p.Declined != "" {
			continue
		}
		pairing, err := base.New(p, b.files[p.ID], built.Importer(p), sizes)
		if err != nil {
			return nil, err
		}
		pairings[p.ID], changed[p.Path] = pairing, pairing.Changed()
	}
	elsewhere := func(obj types.Object) bool { return changed[obj.Pkg().Path()][base.Key(obj)] }
	for _, p := range built.Packages {
		if pairings[p.ID] == nil {
			t.Base.NotCompared = append(t.Base.NotCompared, audit.NotCompared{Name: p.Path, Reason: p.Declined})
			continue
		}
		pairing := pairings[p.ID]
		pairing.Copies(copies)
		pairing.Select(func(name string) bool { return selected(p.Path, name) })
		r, err := pairing.Pair(rtaudit.MostAudits-len(t.Sources), elsewhere)
		if err != nil {
			return nil, err
		}
		if err := b.add(t, p, r); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// add adds what was made of a package.
func (b *Base) add(t *Target, p *load.Package, r *base.Result) error {
	for _, f := range r.Files {
		if err := p.Add(&load.File{Name: f.Name, Src: f.Src}); err != nil {
			return err
		}
		t.Added = append(t.Added, f.Name)
	}
	for _, f := range r.Functions {
		t.Sources[p.Path+"."+f.Name] = audit.Version{Name: fmt.Sprintf("%s at %.12s", f.Name, b.Commit), File: b.shown(f.File), Line: f.Line, Source: f.Source}
		for _, name := range f.Copies {
			t.Names[p.Path+"."+name] = fmt.Sprintf("%s at %.12s", f.Name, b.Commit)
		}
		for _, name := range f.Heads {
			t.Names[p.Path+"."+name] = f.Name
		}
	}
	for _, f := range r.NotCompared {
		t.Base.NotCompared = append(t.Base.NotCompared, audit.NotCompared{Name: p.Path + "." + f.Name, File: b.shown(f.File), Line: f.Line, Reason: f.Reason})
	}
	for _, name := range r.Unchanged {
		t.Base.Unchanged = append(t.Base.Unchanged, p.Path+"."+name)
	}
	return nil
}

// tellPackages lists changes of which nothing is compared.
func (b *Base) tellPackages(t *Target) {
	for _, name := range b.fresh {
		t.Base.NotCompared = append(t.Base.NotCompared, audit.NotCompared{Name: name, Reason: "the package is new"})
	}
	if b.outside > 0 {
		t.Base.NotCompared = append(t.Base.NotCompared, audit.NotCompared{
			Name: show.Plural(b.outside, "changed Go file"), Reason: "not in what this command builds",
		})
	}
}

// shown returns the name of a file as reports have it.
func (b *Base) shown(name string) string {
	if rel, err := filepath.Rel(b.root, name); err == nil {
		return filepath.ToSlash(rel)
	}
	return name
}
