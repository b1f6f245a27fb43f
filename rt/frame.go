package rt

import "runtime"

// A Frame is the state of one activation of a function that may never come to
// the end of its path. Rewritten code has it as a local variable:
//
//	var f rt.Frame; rt.Keep(&f); f.At = &H[7]
//
// At stands for the position in the function that control has reached, nil when no path is
// being taken, and R is the path register. The two lie in memory, since stores to a
// variable whose address is taken keep their order with calls; so they are right whenever
// something goes wrong in one.
//
// A Frame is a stack object: the compiler describes its place in the stack frame to
// the garbage collector, and that is how it is found (see the hooks in package runtime that
// package rewrite/target adds). What is found is counted as path R of At.
type Frame struct {
	At *Hash
	R  U
}

// Keep tells the compiler that f is looked at from elsewhere. It generates no code.
func Keep(f *Frame) { runtime.KeepAlive(f) }

// At notes the position of an activation and returns 0.
func At(f *Frame, at *Hash) U {
	f.At = at
	return 0
}

// End notes that an activation has come to the end of its path and returns 0.
func End(f *Frame) U {
	f.At = nil
	return 0
}

// An Anchor leads from a stack frame to a Frame that may lie in the heap, because the body of a range over a function
// uses it. Rewritten code has it beside such a Frame:
//
//	var a rt.Anchor; rt.Hold(&a, &f)
type Anchor struct {
	frame *Frame
	magic U
}

// anchored is what makes an Anchor: a number that nothing else on a stack is likely to be.
const anchored = 0x9d1c_f3a7_40b6_52e9

// Hold makes a lead to f.
func Hold(a *Anchor, f *Frame) {
	a.frame, a.magic = f, anchored
	runtime.KeepAlive(a)
}

// registered, if set, is told of each package's hash tables.
var registered func(hashes *Hash, nh int)

// byLine, if set, is told which of them count by lines.
var byLine func(hashes *Hash, functions string)

// ByLine says which hash tables of a package count by lines, of what functions. There are 16 bytes for each table: four
// little-endian numbers, all 0 if it does not, or else the lines of the function's func keyword, opening
// and closing brace, and the FNV-1a hash of the base name of its file. An activation that is abandoned when its frame's At is such a
// table is counted there as LineKey of its line and path register, and not at all if the function
// is not the one, or among the inlined ones, that its stack frame stands in.
func ByLine(hashes *Hash, functions string) U {
	if byLine != nil {
		byLine(hashes, functions)
	}
	return 0
}

// LineKey joins a line and a path register, of which it keeps the low 32 bits.
func LineKey(line, r U) U { return line<<32 | r&(1<<32-1) }
