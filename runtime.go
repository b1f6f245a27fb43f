// Package goprofinstr carries the source of the runtime, package rt, that the tool
// links into the programs it instruments.
//
// It stands at the module's root because files can only be embedded from at or below
// the package's own folder, and rt itself must not import embed.
package goprofinstr

import "embed"

// Runtime holds the folder rt with the Go files of the runtime and their tests.
//
//go:embed rt/*.go
var Runtime embed.FS
