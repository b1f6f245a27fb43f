package load

import (
	"go/ast"
	"go/parser"
	"go/version"
	"os"
	"runtime"
	"slices"

	"golang.org/x/tools/go/packages"
)

// A reader reads and parses the files of packages.
type reader struct {
	build  *Build
	source func(file string) ([]byte, error)

	cgo []cgoPackage // those with files that import "C"
}

// A cgoPackage waits for the translation of the files that import "C".
type cgoPackage struct {
	pkg    *Package
	listed *packages.Package
}

const importsC = `imports "C"`

// read reads the files of a package. Of one with test files only these are its Files.
func (r *reader) read(p *packages.Package) (*Package, error) {
	pkg := &Package{ID: p.ID, Path: p.PkgPath, Dir: p.Dir, Module: p.Module, imports: make(map[string]string)}
	if m := p.Module; m != nil && m.GoVersion != "" {
		pkg.GoVersion = languageVersion("go"+m.GoVersion, runtime.Version())
	}
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
		if f.Syntax, err = r.parse(name, src); err != nil {
			return nil, err
		}
		if usesC(f.Syntax) {
			f.Declined, cgo = importsC, true
		} else {
			pkg.Compiled = append(pkg.Compiled, f.Syntax)
		}
		if pkg.TestFiles && !isTestFile(name) {
			pkg.Beside = append(pkg.Beside, src)
		} else {
			pkg.Files = append(pkg.Files, f)
		}
	}
	if cgo {
		r.cgo = append(r.cgo, cgoPackage{pkg, p})
	}
	return pkg, nil
}

// languageVersion returns the version of the language to type-check a package of the given version with. The
// type checker is that of the release that this program was built with, own, and refuses newer packages altogether,
// though few of them use what is new.
func languageVersion(pkg, own string) string {
	if version.IsValid(own) && version.Compare(version.Lang(pkg), version.Lang(own)) > 0 {
		return version.Lang(own)
	}
	return pkg
}

func (r *reader) parse(name string, src []byte) (*ast.File, error) {
	return parser.ParseFile(r.build.fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
}

func usesC(f *ast.File) bool {
	return slices.ContainsFunc(f.Imports, func(spec *ast.ImportSpec) bool { return spec.Path.Value == `"C"` })
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
	var patterns []string
	tests := false
	for _, p := range r.cgo {
		switch {
		case p.pkg.Declined != "":
		case p.pkg.Path == "command-line-arguments":
			patterns = append(patterns, c.Patterns...) // Go files
		case p.listed.ForTest != "":
			patterns, tests = append(patterns, p.listed.ForTest), true
		default:
			patterns = append(patterns, p.pkg.Path)
		}
	}
	if len(patterns) == 0 {
		return nil
	}
	slices.Sort(patterns)
	listed, err := c.list(packages.NeedName|packages.NeedFiles|packages.NeedCompiledGoFiles, tests, slices.Compact(patterns))
	if err != nil {
		return err
	}
	translated := make(map[string]*packages.Package)
	for _, p := range listed {
		translated[p.ID] = p
	}
	for _, p := range r.cgo {
		if p.pkg.Declined == "" && !r.addTranslated(p.pkg, translated[p.pkg.ID]) {
			p.pkg.Declined = importsC + ", and there is no translation by cgo"
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
		syntax, err := r.parse(name, src)
		if err != nil {
			return false
		}
		for _, spec := range syntax.Imports {
			path := importPath(spec)
			if _, ok := pkg.imports[path]; !ok {
				pkg.imports[path] = path // of the standard library
			}
		}
		pkg.Compiled, pkg.Beside = append(pkg.Compiled, syntax), append(pkg.Beside, src)
		found = true
	}
	return found
}
