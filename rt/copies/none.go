//go:build !goprofinstr_std || !goprofinstr_copies || !linux || !(amd64 || arm64) || goprofinstr_basic

package copies

import "unsafe"

// Elsewhere no program has copies.

func Settings() unsafe.Pointer        { return nil }
func Start() bool                     { return true }
func On() bool                        { return false }
func Tick(U, bool, unsafe.Pointer)    {}
func WindowOver(bool, unsafe.Pointer) {}
func OverLater()                      {}
func Finish()                         {}

// used keeps the linker from leaving descriptors out.
var used *Package

// UsePackage has a package be known. It returns 0.
//
//go:noinline
func UsePackage(p *Package) U {
	used = p
	return 0
}
