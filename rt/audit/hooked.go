//go:build goprofinstr_std && goprofinstr_audit

package audit

import _ "unsafe" // for linkname

// audited returns a word of the goroutine that has the versions it is in. There are four bits for each audited function: 0, or
// the version's number plus 1.
//
//go:linkname audited
func audited(i U) *U
