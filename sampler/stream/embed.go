//go:build !goprofinstr_std

package stream

import "embed"

// Files has the source of this package, to be linked into programs.
//
//go:embed *.go
var Files embed.FS
