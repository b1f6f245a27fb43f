//go:build !goprofinstr_std || !goprofinstr_sampler

package sys

// Symbol returns the name of the function at an address, as stack traces have it.
func Symbol(entry uintptr) string { return shortSymbol(entry) }
