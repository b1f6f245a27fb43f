package inline

import (
	"slices"
	"strings"
)

// Rename returns edges in which another function makes the calls that one made, as its function literals do with the literals
// of that. Edges of the other function are left out. Of edges into the function nothing is changed.
func Rename(edges []Edge, function, other string) []Edge {
	edges = slices.DeleteFunc(slices.Clone(edges), func(e Edge) bool { return Within(e.Caller, other) })
	for i, e := range edges {
		if Within(e.Caller, function) {
			edges[i].Caller = other + strings.TrimPrefix(e.Caller, function)
		}
	}
	return edges
}

// Within reports whether a symbol is a function or what the compiler makes of a part of it: F.func1, F.gowrap2, F-range3.
func Within(symbol, function string) bool {
	part, ok := strings.CutPrefix(symbol, function)
	return ok && (part == "" || strings.HasPrefix(part, ".func") || strings.HasPrefix(part, ".gowrap") ||
		strings.HasPrefix(part, ".deferwrap") || strings.HasPrefix(part, "-range"))
}

// Symbols returns what the symbols of a package may begin with. Of main, it is both that of a program and that of what is tested.
func Symbols(path string) []string { return prefixes(&Package{Path: path, Name: "main"}) }

// InPackage reports whether a symbol begins so.
func InPackage(symbol, prefix string) bool { return strings.HasPrefix(symbol, prefix+".") }
