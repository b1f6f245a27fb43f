//go:build goprofinstr_std && goprofinstr_mirror && windows

package mirror

import _ "unsafe" // for go:linkname

// onMirror says what copies. Package runtime has it.
//
//go:linkname onMirror
func onMirror(copy func() bool)
