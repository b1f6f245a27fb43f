package inline

import (
	"slices"
	"strings"
)

// Rename returns edges in which another function makes the calls that one made, as its function literals do with the literals of that. Edges of the other
// function are left out. Of edges into the function nothing is changed.
func Rename(edges []Edge, function, other string) []Edge {
	edges = slices.DeleteFunc(slices.Clone(edges), func(e Edge) bool { _, ok := within(e.Caller, other); return ok })
	for i, e := range edges {
		if literal, ok := within(e.Caller, function); ok {
			edges[i].Caller = other + literal
		}
	}
	return edges
}

// within reports whether a symbol is a function or what the compiler makes of a part of it, and what that part is called: .func1, .gowrap2, -range3.
func within(symbol, function string) (part string, ok bool) {
	part, ok = strings.CutPrefix(symbol, function)
	return part, ok && (part == "" || strings.HasPrefix(part, ".func") || strings.HasPrefix(part, ".gowrap") ||
		strings.HasPrefix(part, ".deferwrap") || strings.HasPrefix(part, "-range"))
}
