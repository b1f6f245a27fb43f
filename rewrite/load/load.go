// Package load finds the packages of a build and reads those that are to be
// instrumented, with what is needed to type-check them.
//
// It works in steps, all through go/packages and so under the flags, tags and
// environment of the go command that is wrapped. The first lists the packages of the
// build without compiling anything. The second has the go command translate the files that
// import "C", if there are any. The last, [Build.LoadExports], asks for the export data of the
// packages that some of the chosen ones import. The build needs most of them compiled anyway.
// Export data is not needed for packages whose [Build.Sum] says that they are as they were.
package load

import (
	"context"
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"golang.org/x/tools/go/packages"
)

// Config says what the wrapped go command builds.
type Config struct {
	Dir        string   // where it runs; "" is the current directory
	BuildFlags []string // its build flags that decide which packages and files are built
	Env        []string // its environment; nil is that of the process
	Patterns   []string // its package arguments
	Tests      bool     // it builds tests
	Workspace  string   // folder of the go.work that it uses, or ""

	// Select reports whether a package of the build is to be instrumented.
	Select func(p *packages.Package) bool

	// TestFiles has the _test.go files of selected packages instrumented, too.
	TestFiles bool

	// Reserved are import paths of packages that cannot be instrumented because the runtime
	// of goprofinstr imports them. Those that they import cannot either.
	Reserved []string

	ModCache string // GOMODCACHE, where the go command accepts no overlay

	// Settled are folders whose files nobody edits: a hash of what a package imports has their sizes and times
	// for their contents.
	Settled []string

	Keeper    Keeper // of listings, or nil
	Described string // what go env says of all that decides what is listed

	// Written reports whether we have written a folder. Only source files in it are a reason to list packages again.
	Written func(dir string) bool

	// Source returns the contents of a file, from the user's overlay or from disk.
	Source func(file string) ([]byte, error)

	// Hold calls what runs the go command, with a context whose end is to end that. It may be nil.
	Hold func(func(context.Context) error) error

	// Temp is the folder for temporary files of the go command, which it may leave when it is ended. "" is what Env says.
	Temp string
}

// Package is a package to be instrumented. The test files that go test compiles into a package are
// a Package of their own, with the same import path. For other test binaries the go command
// compiles the other files without them.
type Package struct {
	ID        string // as go list prints it: the import path, followed by " [p.test]" for test files of p
	Path      string // import path
	Dir       string
	Module    *packages.Module // nil in the standard library
	Root      string           // names of its files are shown relative to it; "" outside of the main module or workspace
	GoVersion string           // language version such as "go1.26"; "" in the standard library
	Files     []*File
	Declined  string // why the package as a whole cannot be instrumented, or ""

	// Parse sets Fset and Compiled, the files of the compilation in its order. These are Files without those that are
	// declined, and what is type-checked with them.
	Fset     *token.FileSet
	Compiled []*ast.File

	// Beside are the sources that share the scope of the package with Files.
	Beside [][]byte

	// TestFiles says that Files are test files, and the package's other files are Beside.
	TestFiles bool

	listed  *packages.Package
	all     []*File           // Files and those beside that are compiled with them, in the order of the compilation
	imports map[string]string // import path in the source → package ID
}

// Compilation returns Files and those beside that are compiled with them, in the order of the compilation.
func (p *Package) Compilation() []*File {
	if p.all == nil { // it was not loaded
		return p.Files
	}
	return p.all
}

// FirstInitialised returns the first of Files that sets variables of the package, nil if one before it has edits. Variables that
// are declared behind those it sets would change the order in which these are set. The compiler takes those first that need no
// others, in the order of the source, and instrumented functions need ours. So ours have to be declared in front.
func (p *Package) FirstInitialised(edited func(*File) bool) *File {
	for _, f := range p.Files {
		if f.Declined != "" {
			continue
		}
		if slices.ContainsFunc(f.Syntax.Decls, initialises) {
			return f
		}
		if edited(f) {
			return nil
		}
	}
	return nil
}

// Declaring returns the file for variables that code in some of Files needs: the first of these, or one before it that sets
// variables.
func (p *Package) Declaring(edited func(*File) bool) *File {
	if f := p.FirstInitialised(edited); f != nil {
		return f
	}
	return p.Files[slices.IndexFunc(p.Files, edited)]
}

// initialises reports whether a declaration gives variables values.
func initialises(d ast.Decl) bool {
	g, ok := d.(*ast.GenDecl)
	hasValues := func(s ast.Spec) bool { return len(s.(*ast.ValueSpec).Values) > 0 }
	return ok && g.Tok == token.VAR && slices.ContainsFunc(g.Specs, hasValues)
}

// ImportsEnd returns where the imports of a file end, in front of all other declarations.
func ImportsEnd(f *ast.File) token.Pos {
	end := f.Name.End()
	for _, d := range f.Decls {
		// Package mark adds an import that is not in the source, right behind the name.
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT && g.Pos() > f.Name.End() {
			end = g.End()
		}
	}
	return end
}

// Translated returns the names of files of the compilation that cgo has made of others, nil if there are none.
func (p *Package) Translated() (names []string) {
	for _, f := range p.all {
		if !slices.Contains(p.listed.GoFiles, f.Name) {
			names = append(names, f.Name)
		}
	}
	return names
}

// File is a Go source file.
type File struct {
	Name     string // absolute
	Src      []byte
	Syntax   *ast.File // set by Parse
	Declined string    // why nothing in the file can be instrumented, or ""
}

// Build is what a go command builds.
type Build struct {
	Packages []*Package // selected, sorted by ID
	Cached   []*Module  // modules in the module cache that selected packages are in, sorted by folder
	Unread   int        // number of selected packages with a file that cannot be read

	Roots []*packages.Package // what the go command was asked for, and its tests
	All   []*packages.Package // these and all that they import; packages with errors are not among them

	config  Config
	root    string // of names of files of main modules
	exports exports
	sums    map[string]Sum // of packages, by ID
}

// Module is a module in the module cache.
type Module struct {
	Path, Version string   // as it is required, not as it is replaced
	Dir, GoMod    string   // where it is
	Packages      []string // folders of its packages in the build, sorted
}

const listMode = packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps |
	packages.NeedModule | packages.NeedForTest | packages.NeedEmbedPatterns

// Load lists the packages of the build and reads the files of the selected ones. Packages
// with errors are not among them: the go command is left to report those. Before a package is type-checked it
// has to be parsed, and LoadExports to have found what it imports.
func Load(c Config) (*Build, error) {
	listed, err := c.listBuild()
	if err != nil {
		return nil, err
	}
	b := &Build{Roots: listed, config: c, root: c.root(listed), exports: exports{files: make(map[string]string)},
		sums: make(map[string]Sum)}
	var chosen []*packages.Package
	packages.Visit(listed, nil, func(p *packages.Package) {
		if len(p.Errors) > 0 {
			return
		}
		b.All = append(b.All, p)
		if c.wanted(p) {
			chosen = append(chosen, p)
		}
	})
	for _, p := range listed {
		b.sumOf(p)
	}
	closure := c.closure(b.All)
	r := reader{build: b, source: c.Source}
	for _, p := range chosen {
		pkg, err := r.read(p)
		if err != nil {
			b.Unread++
			continue
		}
		if closure[pkg.Path] {
			pkg.Declined = "part of what the Go runtime is made of"
		}
		b.Packages = append(b.Packages, pkg)
	}
	sort.Slice(b.Packages, func(i, j int) bool { return b.Packages[i].ID < b.Packages[j].ID })
	r.readTestFiles(b.All)
	if err := r.translate(c); err != nil {
		return nil, err
	}
	b.Cached = cachedModules(b.All, b.Packages, c.ModCache)
	return b, nil
}

// wanted reports whether p is to be instrumented: an ordinary package, or, if test files are to be, one with such
// files. What is recompiled for a test without them has the files of the ordinary package.
func (c Config) wanted(p *packages.Package) bool {
	switch {
	case len(p.GoFiles) == 0 || IsTestMain(p):
		return false
	case p.ID == p.PkgPath:
		return c.Select(p)
	case c.TestFiles && slices.ContainsFunc(p.GoFiles, isTestFile):
		tested := *p
		tested.PkgPath = p.ForTest
		return c.Select(&tested)
	}
	return false
}

func isTestFile(name string) bool { return strings.HasSuffix(name, "_test.go") }

// IsTestMain reports whether p is the main package that go test generates, into the build
// cache, where file names have no extension.
func IsTestMain(p *packages.Package) bool {
	return p.Name == "main" && strings.HasSuffix(p.PkgPath, ".test") &&
		!slices.ContainsFunc(p.GoFiles, func(name string) bool { return filepath.Ext(name) == ".go" })
}

func (c Config) list(mode packages.LoadMode, tests bool, patterns []string) ([]*packages.Package, error) {
	cfg := &packages.Config{
		Mode:       mode,
		Dir:        c.Dir,
		Env:        c.Env,
		BuildFlags: c.BuildFlags,
		Tests:      tests,
	}
	if c.Temp != "" {
		if cfg.Env == nil {
			cfg.Env = os.Environ()
		}
		cfg.Env = append(slices.Clip(cfg.Env), "GOTMPDIR="+c.Temp)
	}
	var listed []*packages.Package
	load := func(ctx context.Context) (err error) {
		cfg.Context = ctx
		listed, err = packages.Load(cfg, patterns...)
		return err
	}
	hold := c.Hold
	if hold == nil {
		hold = func(load func(context.Context) error) error { return load(context.Background()) }
	}
	if err := hold(load); err != nil {
		// The driver's error is that of the go command, over several lines.
		return nil, fmt.Errorf("cannot list packages: %s", strings.TrimPrefix(err.Error(), "err: "))
	}
	return listed, nil
}

// closure returns the packages that the runtime of goprofinstr needs itself, and which therefore cannot import it.
// These are package runtime, those that the runtime of goprofinstr imports besides, and all that they import.
func (c Config) closure(all []*packages.Package) map[string]bool {
	closure := make(map[string]bool)
	var add func(p *packages.Package)
	add = func(p *packages.Package) {
		if closure[p.PkgPath] {
			return
		}
		closure[p.PkgPath] = true
		for _, imported := range p.Imports {
			add(imported)
		}
	}
	for _, p := range all {
		if p.ID == p.PkgPath && (p.ID == "runtime" || p.ID == "unsafe" || slices.Contains(c.Reserved, p.ID)) {
			add(p)
		}
	}
	return closure
}

// cachedModules returns the modules in the module cache that selected packages are in, with
// all their packages in the build.
func cachedModules(all []*packages.Package, selected []*Package, cache string) []*Module {
	if cache == "" {
		return nil
	}
	modules := make(map[string]*Module) // by folder
	for _, p := range selected {
		if m := p.Module; m != nil && p.Declined == "" && within(p.Dir, cache) {
			modules[m.Dir] = &Module{Path: m.Path, Version: m.Version, Dir: m.Dir, GoMod: m.GoMod}
		}
	}
	for _, p := range all {
		if p.Module != nil && modules[p.Module.Dir] != nil {
			m := modules[p.Module.Dir]
			m.Packages = append(m.Packages, p.Dir)
		}
	}
	var list []*Module
	for _, m := range modules {
		slices.Sort(m.Packages)
		m.Packages = slices.Compact(m.Packages)
		list = append(list, m)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Dir < list[j].Dir })
	return list
}

// DeclineCached declines the packages that are in modules of the module cache.
func (b *Build) DeclineCached(reason string) {
	for _, p := range b.Packages {
		if p.Declined == "" && p.Module != nil && slices.ContainsFunc(b.Cached, func(m *Module) bool { return m.Dir == p.Module.Dir }) {
			p.Declined = reason
		}
	}
	b.Cached = nil
}

// within reports whether a file is beneath a folder.
func within(file, dir string) bool {
	return strings.HasPrefix(file, dir+string(os.PathSeparator))
}
