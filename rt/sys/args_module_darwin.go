//go:build !goprofinstr_std

package sys

import "os"

// arguments is the twin of args_std_darwin.go's for tests and tools.
func arguments() []string { return os.Args }
