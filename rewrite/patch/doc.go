// Package patch makes the probes of a linked program cost nothing until they fire: AUDIT section 4, "markers are removed after
// optimization".
//
// A path end of a program with native probes is a marker, a store to an address of its own (see native.Site). The compiler
// moves it, copies it with what it inlines, and puts the path register where it likes, but it keeps it. After linking,
// [Patch] finds each copy in the text of the program and writes a no-op of the same length over it. The no-op has, in the
// displacement that nobody looks at, what a call needs:
//
//	marker    48 89 05 d d d d     MOVQ AX, S+16*k(SB)
//	no-op     0f 1f 80 x x 66 90   NOPL 0x9066xxxx(AX)
//	call      e8 1f 80 x x         CALL stub
//	          66 90                XCHGW AX, AX
//
// so that a single byte arms and disarms a site, while other threads run through it: they see one or the other. The stub of a
// site is where the call leads. That is determined but for the two bytes x x and one of seven values of the third. It is one of
// some hundred places in a region below the text, which has room for as many stubs as are needed. A stub knows which register has
// the path and which site it is, and notes both in the log of the thread. Nothing is a signal but the ticks.
//
// Stubs and the list of sites are the image: a part of the file behind what the linker made, which package rt maps.
package patch
