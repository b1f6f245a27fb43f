package event

import "unsafe"

// What is known here of the layout of the Go runtime's own data. It is the same in all releases that package release knows; a
// test holds it against the one that it runs with.
const (
	pointerSize = unsafe.Sizeof(uintptr(0))
	// Of internal/abi.ITab: two pointers, a hash of 32 bits, and the methods.
	itabType = pointerSize
	itabFun  = (2*pointerSize + 4 + pointerSize - 1) / pointerSize * pointerSize
	// Of internal/abi.Type: two words, 32 bits, and four bytes of which this is the last. The upper bits are flags.
	typeKind    = 2*pointerSize + 7
	kindMask    = 1<<5 - 1
	kindPointer = 22
)
