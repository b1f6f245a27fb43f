//go:build goprofinstr_std

package sys

import _ "unsafe" // for go:linkname

// arguments returns the arguments of the process. Package runtime has them for package os.
//
//go:linkname arguments os.runtime_args
func arguments() []string
