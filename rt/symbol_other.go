//go:build !goprofinstr_std || !goprofinstr_sampler

package rt

// symbol returns the name of the function at an address, as stack traces have it.
func symbol(entry uintptr) string { return shortSymbol(entry) }
