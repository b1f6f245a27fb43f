package inline

import (
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/internal/pgofile"
)

// The source of files that were not compiled with -m tells which calls will be inlined. These are calls of functions of which the
// compiler has said elsewhere that they are inlinable. Types would be needed to tell functions of one name apart. They are not,
// for an edge from a line on which its callee is not called makes no difference to the compiler.

// A namedSite is a call in a file that was not compiled.
type namedSite struct {
	at      Call     // without callee
	callees []symbol // that it may be a call of
}

// compilation returns what the compiler said about a package: of a Partial source, about those of its files that were compiled.
func (r *resolver) compilation(p *Package) *Compilation {
	if c := r.Compilations[p.ID]; c != nil || !r.Partial {
		return c
	}
	if c := r.Compilations[p.Path+" ["+p.Path+".test]"]; c != nil { // the files of p, too
		return c
	}
	return r.Compilations[p.Path]
}

// compiled reports whether the compiler has had its say about a file of p.
func (r *resolver) compiled(p *Package, file string) bool {
	if c := r.compilation(p); c == nil || r.Compilations[p.ID] != nil {
		return c != nil
	}
	return !strings.HasSuffix(file, "_test.go")
}

// addNamed notes the calls of inlinable functions in files that were not compiled. It is false if generic functions may be called
// there: which instances of them there are, and so their names, only the compiler knows.
func (r *resolver) addNamed() (ok bool) {
	generics := r.genericNames()
	files := make(map[*Package][]function)
	for _, p := range r.packages {
		for _, list := range r.functions[p] {
			for _, f := range list {
				if r.compiled(p, f.file) {
					continue
				}
				if slices.ContainsFunc(f.calls, func(c namedCall) bool { return generics[c.name] }) {
					return false
				}
				files[p] = append(files[p], f)
			}
		}
	}
	byName := make(map[string][]symbol)
	for s := range r.inlinable {
		byName[lastName(s.name)] = append(byName[lastName(s.name)], s)
	}
	for _, p := range r.packages {
		helpers := r.addHelpers(p, files[p], byName)
		for _, f := range files[p] {
			r.addSites(p, &f, byName, helpers)
		}
	}
	for _, p := range r.packages {
		for _, site := range r.named[p] {
			r.addSite(p, site.at, r.withInner(site.callees)) // as the compiler tells them
		}
	}
	return true
}

// A helpers has the functions of one package that are not compiled and may be inlinable.
type helpers struct {
	named    map[string][]symbol
	literals map[string][]symbol // by the function that they are in, however deep
}

// callees returns the functions that may be called in f.
func (h *helpers) callees(f *function, c namedCall, byName map[string][]symbol) []symbol {
	list := slices.Concat(byName[c.name], h.named[c.name])
	if c.local {
		list = append(list, h.literals[pgofile.Outermost(f.name)]...)
	}
	return list
}

// small reports whether a function may be inlinable that has so many calls besides those of inlinable functions. The
// compiler has a budget of 80, and another call costs 57 of it; for function literals it has 800. If a function is taken for
// inlinable and is not, the compiler inlines it, in a test, if that makes it no larger than others.
func small(f *function, otherCalls int) bool {
	if pgofile.Outermost(f.name) != f.name {
		return f.nodes <= 1000 && otherCalls <= 10
	}
	return f.nodes <= 100 && otherCalls <= 1
}

// addHelpers finds the functions that may be inlinable and would not be if what they call costs more. The others cost what
// they did.
func (r *resolver) addHelpers(p *Package, functions []function, byName map[string][]symbol) *helpers {
	h := &helpers{make(map[string][]symbol), make(map[string][]symbol)}
	for found := true; found; { // helpers call helpers
		found = false
		for _, f := range functions {
			s := symbol{p.Path, f.name}
			if r.inlinable[s] {
				continue
			}
			inlined := 0
			for _, c := range f.calls {
				if len(h.callees(&f, c, byName)) > 0 {
					inlined++
				}
			}
			if inlined == 0 || !small(&f, len(f.calls)-inlined) {
				continue
			}
			found = true
			r.inlinable[s] = true
			if top := pgofile.Outermost(f.name); top != f.name {
				h.literals[top] = append(h.literals[top], s)
			} else {
				h.named[lastName(f.name)] = append(h.named[lastName(f.name)], s)
			}
			r.helpers[p] = append(r.helpers[p], s)
		}
	}
	return h
}

// addSites notes the calls in a function that was not compiled.
func (r *resolver) addSites(p *Package, f *function, byName map[string][]symbol, h *helpers) {
	for _, c := range f.calls {
		callees := h.callees(f, c, byName)
		if len(callees) == 0 {
			continue
		}
		site := namedSite{Call{File: c.at.Filename, Line: c.at.Line, Col: c.at.Column}, callees}
		r.named[p] = append(r.named[p], site)
		r.addSite(p, site.at, callees)
	}
}

func (r *resolver) addSite(p *Package, at Call, callees []symbol) {
	for _, in := range r.callers(p, at) {
		for _, callee := range callees {
			r.addCall(in.symbol, callSite{callee, at.Line})
		}
	}
}

// genericNames returns the names of the generic functions in instrumented packages.
func (r *resolver) genericNames() map[string]bool {
	names := make(map[string]bool)
	for _, p := range r.packages {
		for _, list := range r.functions[p] {
			for _, f := range list {
				if p.Instrumented && strings.Contains(f.name, "[...]") {
					names[lastName(f.name)] = true
				}
			}
		}
	}
	return names
}

// lastName returns the name of a function without its receiver and type arguments.
func lastName(name string) string {
	name = pgofile.Plain(name)
	return name[strings.LastIndexByte(name, '.')+1:]
}

// withInner returns functions that are inlined at a call and those that are called in them and inlined with them.
func (r *resolver) withInner(inlined []symbol) []symbol {
	inlined = slices.Clone(inlined)
	for i := 0; i < len(inlined); i++ {
		for _, site := range r.calls[inlined[i]] {
			if !slices.Contains(inlined, site.callee) {
				inlined = append(inlined, site.callee)
			}
		}
	}
	return inlined
}
