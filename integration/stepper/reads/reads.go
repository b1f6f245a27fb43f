// Package reads tells what an instruction reads: registers as wide as it reads them, and the flags that a condition is about. A
// program in lockstep is held against another one by these values.
package reads

import "github.com/goprofinstr/goprofinstr/rewrite/machine"

// A Read is a register that an instruction reads.
type Read struct {
	Register int
	Vector   bool
	Mask     uint64 // of what it reads; of the low half of vectors
	Wide     bool   // it reads the high half, too
}

// An Arch is a GOARCH: "amd64" or "arm64".
type Arch string

// Of returns what an instruction reads for certain. What it may read is not among it: there a register may have what is of no
// use, as the result of a call that has none.
func (a Arch) Of(i *machine.Inst) []Read {
	if a == "arm64" {
		return arm64(i)
	}
	return amd64(i)
}

// Vectors returns the vector registers that an instruction reads, a bit for each.
func (a Arch) Vectors(i *machine.Inst) (set uint32) {
	for _, r := range a.Of(i) {
		if r.Vector {
			set |= 1 << r.Register
		}
	}
	return set
}

// Flags returns which flags a condition is about, as bits of the flags register.
func (a Arch) Flags(i *machine.Inst) uint64 {
	if a == "arm64" {
		return flagsARM64(i)
	}
	return flagsAMD64(i)
}

// IsExclusive reports whether an instruction loads or stores exclusively. A stop between the two has the second fail each time.
func (a Arch) IsExclusive(i *machine.Inst) bool {
	if a != "arm64" {
		return false
	}
	w := armWordOf(i)
	return w.bits(24, 6) == 0x08 && w.bits(23, 1) == 0 && w.bits(21, 1) == 0
}
