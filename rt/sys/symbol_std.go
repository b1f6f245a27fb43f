//go:build goprofinstr_std && goprofinstr_sampler

package sys

import "runtime"

// Symbol returns the name that the linker has for the function at an address, type arguments included.
func Symbol(entry uintptr) string {
	var funcs [8]runtime.GoprofinstrFunc
	if n := runtime.GoprofinstrFuncs(entry, funcs[:]); n > 0 {
		return Text(funcs[n-1].Name, funcs[n-1].NameLen)
	}
	return shortSymbol(entry) // a wrapper
}
