package contexts

import "github.com/goprofinstr/goprofinstr/rt/sys"

// Fresh returns what activation words hold at first, by the file of the function and the line that it begins on. Only the base
// name of the file counts. The result is a number that an instruction can have in it, and which the stack has nowhere else but
// by chance. Such a number is a negative one of 31 bits, in 64.
//
//go:norace
func Fresh(file string, line U) U {
	base := 0
	for i := range len(file) {
		if file[i] == '/' {
			base = i + 1
		}
	}
	hash := sys.Hash32(file[base:])
	hash ^= uint32(line) * 0x9e37_79b9
	return 0xffff_ffff_8000_0000 | U(hash&(1<<30-1)) // which instructions extend from 32 bits
}
