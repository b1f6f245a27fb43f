// Package sys is what the runtime needs of the system and of the processor: system calls, atomic operations, the numbers of
// threads, and what is made of addresses. It is the lowest of the packages that are linked into programs: package rt has what
// they are for.
//
// Nothing here takes a lock or is seen by the race detector. Most of it may be called in signal handlers.
package sys

import "unsafe"

// U is the type of counters, and of all numbers in run files.
type U = uint64

// Word returns the address of word i of an array that starts at p.
func Word(p *U, i U) *U { return (*U)(unsafe.Add(unsafe.Pointer(p), i*8)) }

// PutText packs texts into words of zeros that start at p, one behind the other: byte i is byte i of little-endian words. So a
// processor with another byte order, which turns words round as it writes them to a file, leaves texts readable.
//
//go:norace
func PutText(p unsafe.Pointer, texts ...string) {
	i := U(0)
	for _, text := range texts {
		for k := range len(text) {
			*Word((*U)(p), i/8) |= U(text[k]) << (i % 8 * 8)
			i++
		}
	}
}

// RoundUp returns the least multiple of unit, a power of two, that is not less than n.
func RoundUp(n, unit U) U { return (n + unit - 1) &^ (unit - 1) }

// Pointer returns the pointer that is an address of something that stays where it is.
//
//go:norace
func Pointer(address uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&address)) }

// Text returns a string that is in the program's tables.
//
//go:norace
func Text(address, length uintptr) string {
	return unsafe.String((*byte)(Pointer(address)), int(length))
}

//go:norace
func Decimal(n U) string {
	var b [20]byte
	i := len(b)
	for {
		i--
		b[i] = '0' + byte(n%10)
		if n /= 10; n == 0 {
			return string(b[i:])
		}
	}
}

// Mix spreads path numbers, which are dense and regular, over 64 bits: the
// finaliser of MurmurHash3 (Austin Appleby, public domain). The high half
// picks the entry.
//
//go:norace
func Mix(x U) U {
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	x *= 0xc4ceb9fe1a85ec53
	x ^= x >> 33
	return x
}

// Hash32 is the FNV-1a hash of a text, of 32 bits. Text for package runtime, which imports nothing of ours, has the same
// (goprofinstr_hash).
//
//go:norace
func Hash32(text string) uint32 {
	h := uint32(2166136261)
	for i := range len(text) {
		h = (h ^ uint32(text[i])) * 16777619
	}
	return h
}
