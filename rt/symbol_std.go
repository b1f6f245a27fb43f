//go:build goprofinstr_std && goprofinstr_sampler

package rt

import "runtime"

// symbol returns the name that the linker has for the function at an address, type arguments included.
func symbol(entry uintptr) string {
	var funcs [8]runtime.GoprofinstrFunc
	if n := runtime.GoprofinstrFuncs(entry, funcs[:]); n > 0 {
		return text(funcs[n-1].Name, funcs[n-1].NameLen)
	}
	return shortSymbol(entry) // a wrapper
}
