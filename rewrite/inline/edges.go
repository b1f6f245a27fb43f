package inline

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/internal/pgofile"
)

// An Edge is a call in a profile, as the compiler finds it.
type Edge = pgofile.Edge

// anywhere is the caller in edges that only say that a function may be inlined. No function has this name.
const anywhere = "goprofinstr.anywhere"

// Source is a build whose inlining is to be preserved.
type Source struct {
	Compilations map[string]*Compilation           // of the user's own code, by package ID
	Packages     []*Package                        // those instrumented, and those that import them
	Read         func(file string) ([]byte, error) // returns the contents of a file

	// Partial says that only instrumented packages were compiled, each once, with or without its test files.
	Partial bool
}

// Edges returns the edges for each package of a build, by import path. Those for p are also for p as it is compiled for tests,
// and for package p_test. The go command's -gcflags makes no difference between them. Edges is not ok if the source is partial
// and more must be compiled.
func Edges(s Source) (edges map[string][]Edge, ok bool) {
	r := newResolver(s)
	if s.Partial && !r.addNamed() {
		return nil, false
	}
	edges = make(map[string][]Edge)
	for _, p := range r.packages {
		path := Tested(p.ID)
		if c := r.compilation(p); c != nil {
			edges[path] = append(edges[path], r.edges(p, c)...)
		}
		for _, s := range r.helpers[p] {
			edges[path] = r.addEdges(edges[path], []string{anywhere}, s, 0)
		}
		for _, site := range r.named[p] {
			edges[path] = r.addInlined(edges[path], p, site.at, r.withInner(site.callees))
		}
	}
	for path, list := range edges {
		slices.SortFunc(list, compareEdges)
		edges[path] = slices.Compact(list)
	}
	return edges, true
}

func compareEdges(a, b Edge) int {
	return cmp.Or(cmp.Compare(a.Caller, b.Caller), cmp.Compare(a.Offset, b.Offset), cmp.Compare(a.Callee, b.Callee))
}

// Tested returns the import path whose -gcflags a package gets: its own, or for p_test that of p.
func Tested(id string) string {
	path, test, _ := strings.Cut(id, " [")
	if tested := strings.TrimSuffix(test, ".test]"); path == tested+"_test" {
		return tested
	}
	return path
}

// A symbol is a function by the compiler's name for it, without the package.
type symbol struct{ path, name string }

// A callSite is a call in the source of a function.
type callSite struct {
	callee symbol
	line   int
}

// A resolver knows which functions of instrumented packages the names that the compiler prints stand for.
type resolver struct {
	Source
	packages  []*Package // with all that is known of each
	functions map[*Package]map[string][]function
	paths     map[string][]string   // import paths of the instrumented packages of a name
	inlinable map[symbol]bool       // those of instrumented packages
	instances map[symbol][]string   // of generic functions, which have the name F[...]
	calls     map[symbol][]callSite // in functions that are inlined themselves
	symbols   map[string][]string   // prefixes of symbols, by import path

	named   map[*Package][]namedSite // in files that were not compiled
	helpers map[*Package][]symbol    // that may be inlinable, in these files
}

func newResolver(s Source) *resolver {
	r := &resolver{
		Source:    s,
		packages:  slices.Clone(s.Packages),
		functions: make(map[*Package]map[string][]function),
		paths:     make(map[string][]string),
		inlinable: make(map[symbol]bool),
		instances: make(map[symbol][]string),
		calls:     make(map[symbol][]callSite),
		symbols:   make(map[string][]string),
		named:     make(map[*Package][]namedSite),
		helpers:   make(map[*Package][]symbol),
	}
	slices.SortFunc(r.packages, func(a, b *Package) int { return cmp.Compare(a.ID, b.ID) })
	instrumented := make(map[string]bool)
	for _, p := range r.packages {
		if p.Instrumented && !instrumented[p.Path] {
			instrumented[p.Path] = true
			r.paths[p.Name] = append(r.paths[p.Name], p.Path)
		}
		r.symbols[p.Path] = prefixes(p)
	}
	for _, p := range r.packages {
		if c := r.compilation(p); c != nil {
			r.addInlinable(p, c, instrumented[p.Path])
		}
	}
	for _, p := range r.packages {
		c := r.compilation(p)
		if c != nil || s.Partial {
			r.functions[p] = functions(p, s.Read)
		}
		if c != nil {
			r.addCalls(p, c)
		}
	}
	return r
}

// addInlinable notes what is inlinable: functions of p, and instances of generic functions of others.
func (r *resolver) addInlinable(p *Package, c *Compilation, instrumented bool) {
	for _, name := range c.Inlinable {
		if instrumented {
			r.addSymbol(symbol{p.Path, name})
		}
		if pkg, rest, ok := strings.Cut(name, "."); ok {
			for _, path := range r.paths[pkg] {
				if path != p.Path && strings.ContainsRune(rest, '[') {
					r.addSymbol(symbol{path, rest})
				}
			}
		}
	}
}

func (r *resolver) addSymbol(s symbol) {
	if r.inlinable[s] {
		return
	}
	r.inlinable[s] = true
	if generic := pgofile.Generic(s.name); generic != s.name {
		key := symbol{s.path, generic}
		r.instances[key] = append(r.instances[key], s.name)
	}
}

// resolve returns the functions of instrumented packages that a name may stand for where p is compiled.
func (r *resolver) resolve(p *Package, name string) []symbol {
	var found []symbol
	add := func(s symbol) {
		if r.inlinable[s] {
			found = append(found, s)
		}
	}
	add(symbol{p.Path, name})
	if pkg, rest, ok := strings.Cut(name, "."); ok {
		for _, path := range r.paths[pkg] {
			add(symbol{path, rest})
		}
	}
	return found
}

// addCalls notes the calls in the source of p.
func (r *resolver) addCalls(p *Package, c *Compilation) {
	for _, call := range c.Calls {
		for _, in := range r.callers(p, call) {
			for _, callee := range r.resolve(p, call.Callee) {
				r.addCall(in.symbol, callSite{callee, call.Line})
			}
		}
	}
}

func (r *resolver) addCall(in symbol, site callSite) {
	if !slices.Contains(r.calls[in], site) {
		r.calls[in] = append(r.calls[in], site)
	}
}

// A caller is a function with the line on which it starts.
type caller struct {
	symbol
	start int
}

// callers returns the functions that a call in the compilation of p is in: one, or each instance of a generic function.
func (r *resolver) callers(p *Package, c Call) []caller {
	base := filepath.Base(c.File)
	if own := r.functions[p][base]; own != nil {
		f := enclosing(own, c)
		list := r.instancesOf(p.Path, f)
		if f != nil {
			for _, name := range f.wrappers(c) {
				list = append(list, caller{symbol{p.Path, name}, c.Line})
			}
		}
		return list
	}
	var list []caller // instances of other packages' functions are compiled where they are needed
	for _, other := range r.packages {
		if f := enclosing(r.functions[other][base], c); f != nil && pgofile.Generic(f.name) == f.name && strings.Contains(f.name, "[") {
			list = append(list, r.instancesOf(other.Path, f)...)
		}
	}
	return list
}

func (r *resolver) instancesOf(path string, f *function) []caller {
	if f == nil {
		return nil
	}
	names := f.names()
	if strings.Contains(f.name, "[") {
		var instances []string
		for _, name := range names {
			instances = append(instances, r.instances[symbol{path, name}]...)
		}
		names = instances
	}
	var list []caller
	for _, name := range names {
		list = append(list, caller{symbol{path, name}, f.start.Line})
	}
	return list
}

// edges returns the edges for the compilation of p.
func (r *resolver) edges(p *Package, c *Compilation) []Edge {
	var edges []Edge
	for _, name := range c.Inlinable {
		for _, s := range r.resolve(p, name) {
			edges = r.addEdges(edges, []string{anywhere}, s, 0)
		}
	}
	for at, names := range byPosition(c.Calls) {
		var inlined []symbol
		for _, name := range names {
			inlined = append(inlined, r.resolve(p, name)...)
		}
		edges = r.addInlined(edges, p, at, inlined)
	}
	return edges
}

// addInlined adds the edges for the functions that are inlined at one call.
func (r *resolver) addInlined(edges []Edge, p *Package, at Call, inlined []symbol) []Edge {
	for _, in := range r.callers(p, at) {
		from := r.symbolsOf(in.symbol)
		for _, f := range inlined {
			edges = r.addEdges(edges, from, f, at.Line-in.start)
			// What is called in f, and inlined with it, the compiler looks up with its line in the source of f.
			for _, site := range r.calls[f] {
				if slices.Contains(inlined, site.callee) {
					edges = r.addEdges(edges, from, site.callee, site.line-in.start)
				}
			}
		}
	}
	return edges
}

func (r *resolver) addEdges(edges []Edge, callers []string, callee symbol, offset int) []Edge {
	for _, from := range callers {
		for _, to := range r.symbolsOf(callee) {
			edges = append(edges, Edge{Caller: from, Callee: to, Offset: offset, Weight: 1})
		}
	}
	return edges
}

// byPosition returns the names of what is inlined at each position; the keys are calls without callee.
func byPosition(calls []Call) map[Call][]string {
	names := make(map[Call][]string)
	for _, c := range calls {
		callee := c.Callee
		c.Callee = ""
		names[c] = append(names[c], callee)
	}
	return names
}

// symbolsOf returns the symbols that a function may have in an object file.
func (r *resolver) symbolsOf(s symbol) []string {
	var list []string
	for _, prefix := range r.symbols[s.path] {
		list = append(list, prefix+"."+s.name)
	}
	return list
}

// prefixes returns what the symbols of a package may begin with. A main package is called main as a program, and by its path
// as what is tested.
func prefixes(p *Package) []string {
	list := []string{pgofile.EscapePath(p.Path)}
	if p.Name == "main" {
		list = append(list, "main")
	}
	return list
}
