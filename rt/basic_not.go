//go:build !goprofinstr_std && !goprofinstr_basic

package rt

// Basic is for tests: see basic.go.
const Basic = false

var basicTags []string
