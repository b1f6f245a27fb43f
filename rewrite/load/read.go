package load

import (
	"bytes"
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"go/version"
	"os"
	"runtime"
	"slices"

	"golang.org/x/tools/go/packages"

	"github.com/goprofinstr/goprofinstr/rewrite/release"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// A reader reads the files of packages.
type reader struct {
	build  *Build
	source func(file string) ([]byte, error)

	cgo []*Package // those with files that import "C", which wait for the translation of these
}

// read reads the files of a package. Of one with test files only these are its Files.
func (r *reader) read(p *packages.Package) (*Package, error) {
	pkg := &Package{ID: p.ID, Path: p.PkgPath, Dir: p.Dir, Module: p.Module, listed: p, imports: make(map[string]string)}
	pkg.Root = r.build.rootOf(p.Module)
	pkg.GoVersion = language(p.Module)
	for path, imported := range p.Imports {
		pkg.imports[path] = imported.ID
	}
	pkg.TestFiles = p.ID != p.PkgPath
	cgo := false
	for _, name := range p.GoFiles {
		src, err := r.source(name)
		if err != nil {
			return nil, err
		}
		f := &File{Name: name, Src: src}
		if usesC(name, src) {
			f.Declined, cgo = table.ImportsC, true
		}
		pkg.all = append(pkg.all, f)
		if pkg.TestFiles && !isTestFile(name) {
			pkg.Beside = append(pkg.Beside, src)
		} else {
			pkg.Files = append(pkg.Files, f)
		}
	}
	if cgo {
		r.cgo = append(r.cgo, pkg)
	}
	return pkg, nil
}

// root returns what names of files of main modules are relative to, "" if there is no main module. Modules of a workspace
// may have files of the same names, so it is the workspace's folder, whether one of them is built or several. A workspace
// may have modules elsewhere: if all that is built is there, it is the first one's folder.
func (c Config) root(listed []*packages.Package) string {
	first, inside := "", false
	packages.Visit(listed, func(p *packages.Package) bool {
		if m := p.Module; m != nil && m.Main {
			first = cmp.Or(first, m.Dir)
			inside = inside || c.Workspace != "" && below(m.Dir, c.Workspace)
		}
		return true
	}, nil)
	if inside {
		return c.Workspace
	}
	return first
}

// rootOf returns what names of files of a module are relative to, "" outside of the build's root.
func (b *Build) rootOf(m *packages.Module) string {
	if m == nil || !m.Main || !below(m.Dir, b.root) {
		return ""
	}
	return b.root
}

// below reports whether a folder is another one, or in it.
func below(folder, other string) bool { return folder == other || within(folder, other) }

// language returns the version of the language to type-check packages of a module with, "" for the standard library. A module
// without a go.mod, or whose go.mod names none, has an old one (cmd/go/internal/work.gcToolchain.gc).
func language(m *packages.Module) string {
	switch {
	case m == nil:
		return ""
	case m.GoVersion == "":
		return release.Newest().GoCommand.DefaultLang // the same for all releases
	}
	return languageVersion("go"+m.GoVersion, runtime.Version())
}

// languageVersion returns the version of the language to type-check a package of the given version with. The type
// checker is that of the release that this program was built with, own. It refuses newer packages altogether,
// though few of them use what is new.
func languageVersion(pkg, own string) string {
	if version.IsValid(own) && version.Compare(version.Lang(pkg), version.Lang(own)) > 0 {
		return version.Lang(own)
	}
	return pkg
}

// usesC reports whether a file imports "C". It is not parsed if it need not be.
func usesC(name string, src []byte) bool {
	if !bytes.Contains(src, []byte(`"C"`)) {
		return false
	}
	f, err := parser.ParseFile(token.NewFileSet(), name, src, parser.ImportsOnly)
	return err == nil && slices.ContainsFunc(f.Imports, func(spec *ast.ImportSpec) bool { return spec.Path.Value == `"C"` })
}

// Parse parses the files of a package.
func (p *Package) Parse() error {
	p.Fset = token.NewFileSet()
	p.Compiled = nil
	for _, f := range p.all {
		var err error
		if f.Syntax, err = parser.ParseFile(p.Fset, f.Name, f.Src, parser.ParseComments|parser.SkipObjectResolution); err != nil {
			return err
		}
		if f.Declined == "" {
			p.Compiled = append(p.Compiled, f.Syntax)
		}
	}
	return nil
}

// Forget gives back the memory that Parse has taken.
func (p *Package) Forget() {
	p.Fset, p.Compiled = nil, nil
	for _, f := range p.all {
		f.Syntax = nil
	}
}

// readTestFiles reads the test files that are compiled into packages.
func (r *reader) readTestFiles(all []*packages.Package) {
	beside := make(map[string][][]byte)
	for _, p := range all {
		if p.ForTest != p.PkgPath {
			continue
		}
		for _, name := range p.GoFiles {
			if !isTestFile(name) {
				continue
			}
			if src, err := r.source(name); err == nil { // if not, the go command says so
				beside[p.PkgPath] = append(beside[p.PkgPath], src)
			}
		}
	}
	for _, p := range r.build.Packages {
		if !p.TestFiles {
			p.Beside = append(p.Beside, beside[p.Path]...)
		}
	}
}

// translate has the go command run cgo, and adds what that makes of files that import "C" to
// the files of the compilation.
func (r *reader) translate(c Config) error {
	type list struct {
		patterns []string
		tests    bool
	}
	var files, paths list // apart, for the go command does not take both at once
	for _, p := range r.cgo {
		tested := p.listed.ForTest
		switch {
		case p.Declined != "":
		case p.Path == FilesPackage || tested == FilesPackage:
			files.patterns, files.tests = c.Patterns, files.tests || tested != ""
		case tested != "":
			paths.patterns, paths.tests = append(paths.patterns, tested), true
		default:
			paths.patterns = append(paths.patterns, p.Path)
		}
	}
	translated := make(map[string]*packages.Package)
	for _, l := range []list{files, paths} {
		if len(l.patterns) == 0 {
			continue
		}
		patterns := slices.Compact(slices.Sorted(slices.Values(l.patterns)))
		listed, err := c.list(packages.NeedName|packages.NeedFiles|packages.NeedCompiledGoFiles, l.tests, patterns)
		if err != nil {
			return err
		}
		for _, p := range listed {
			translated[p.ID] = p
		}
	}
	for _, p := range r.cgo {
		if p.Declined == "" && !r.addTranslated(p, translated[p.ID]) {
			p.Declined = table.ImportsC + ", and there is no translation by cgo"
		}
	}
	return nil
}

// addTranslated adds the files that cgo made for a package; they come after the others, as in the compilation.
func (r *reader) addTranslated(pkg *Package, p *packages.Package) bool {
	if p == nil {
		return false
	}
	found := false
	for _, name := range p.CompiledGoFiles {
		if slices.Contains(p.GoFiles, name) {
			continue
		}
		src, err := os.ReadFile(name)
		if err != nil {
			return false
		}
		head, err := parser.ParseFile(token.NewFileSet(), name, src, parser.ImportsOnly)
		if err != nil {
			return false
		}
		for _, spec := range head.Imports {
			path := importPath(spec)
			if _, ok := pkg.imports[path]; !ok {
				pkg.imports[path] = path // of the standard library
			}
		}
		pkg.all, pkg.Beside = append(pkg.all, &File{Name: name, Src: src}), append(pkg.Beside, src)
		found = true
	}
	return found
}
