//go:build !goprofinstr_std && goprofinstr_basic

package rt

// Basic tells that programs for Linux are given what those for macOS have: a run file that is
// mapped without what only Linux has, and ticks of the runtime's monitor. It is for tests of
// goprofinstr, which are built with the tag goprofinstr_basic then, as it is itself.
const Basic = true

// basicTags are the build tags of files that make the difference.
var basicTags = []string{"goprofinstr_basic"}
