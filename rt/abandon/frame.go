package abandon

import (
	"runtime"
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt"
)

// A Frame is the state of one activation of a function that may never come to the end of its path. Functions have one
// if counters and the line that control is at do not tell enough. Rewritten code has it as a local variable:
//
//	var f abandon.Frame; abandon.Keep(&f); f.At = &H[7]
//
// At stands for the position in the function that control has reached, nil when no path is
// being taken, and R is the path register. The two lie in memory, since stores to a
// variable whose address is taken keep their order with calls. So they are right whenever
// something goes wrong in a call.
//
// A Frame is a stack object: the compiler describes its place in the stack frame to the
// garbage collector. By this description it is found (see the hooks in package runtime that
// package rewrite/target adds). What is found is counted as path R of At.
type Frame struct {
	At *rt.Hash
	R  U
}

// Keep tells the compiler that f is looked at from elsewhere. It generates no code.
func Keep(f *Frame) { runtime.KeepAlive(f) }

// At notes the position of an activation and returns 0.
func At(f *Frame, at *rt.Hash) U {
	f.At = at
	return 0
}

// End notes that an activation has come to the end of its path and returns 0.
func End(f *Frame) U {
	f.At = nil
	return 0
}

// An Anchor leads from a stack frame to a Frame. The Frame may lie in the heap, because the body of a range over a
// function uses it. Rewritten code has it beside such a Frame:
//
//	var a abandon.Anchor; abandon.Hold(&a, &f)
type Anchor struct {
	frame *Frame
	check U // see checkOf
}

// anchored is a part of what makes an Anchor: a number that nothing else on a stack is likely to be.
const anchored = 0x9d1c_f3a7_40b6_52e9

// checkOf returns what stands beside a pointer in an Anchor. The two must not be able to change places: the pointer may
// stand on both sides of its check.
//
//go:norace
func checkOf(frame uintptr) U { return anchored * U(frame) }

// leads reports whether a is an Anchor, and not a variable that has not begun over half of an Anchor that was
// there before. The pointer of such a variable must not be followed. An Anchor of a Frame on the stack is none any more
// when the stack has moved. The Frame is a stack object itself, and found without it.
//
//go:norace
//go:nocheckptr
func (a *Anchor) leads() bool {
	return a.frame != nil && a.check == checkOf(uintptr(unsafe.Pointer(a.frame)))
}

// Hold makes a lead to f.
func Hold(a *Anchor, f *Frame) {
	a.frame, a.check = f, checkOf(uintptr(unsafe.Pointer(f)))
	runtime.KeepAlive(a)
}

// positioned, if set, is told what Positions is told.
var positioned func(hashes *rt.Hash, functions string)

// Positions says which hash tables of a package are those of positions, and of what functions. There are 16 bytes for each table:
// four little-endian numbers, all 0 if it is none. Else they are the lines of the function's func keyword, opening and closing
// brace, and the FNV-1a hash of the base name of its file. An activation may be abandoned when its frame's At is such a table.
// Then it is counted there as LineKey of its line and path register. The function must be the one that its stack frame stands in,
// or one that is inlined there. If not, the frame is one that has not begun, and holds what was there before.
//
// The first number is increased by NoFrame if the function has no Frame: its activations are found by their program counters.
// It is increased by AnyLine if only the path register is counted. It is nothing but AnyLine if the function cannot be told
// from others.
func Positions(hashes *rt.Hash, functions string) U {
	if positioned != nil {
		positioned(hashes, functions)
	}
	return 0
}

// AnyLine marks hash tables of positions that do not count by line.
const AnyLine = 1 << 31

// NoFrame marks hash tables of functions without a Frame, of which an activation counts as LineKey of its line and 0.
const NoFrame = 1 << 30

// LineKey joins a line and a path register, of which it keeps the low 32 bits.
func LineKey(line, r U) U { return line<<32 | r&(1<<32-1) }
