package sys

import "runtime"

// shortSymbol returns the name of the function at an address as stack traces have it: without type arguments.
func shortSymbol(entry uintptr) string {
	if f := runtime.FuncForPC(entry); f != nil {
		return f.Name()
	}
	return ""
}
