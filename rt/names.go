package rt

import "unsafe"

// names are what the values of functions and strings are called, in records of the run file that are appended to. Addresses mean nothing in another process, and
// the program may be gone when its profile is read.
var names struct {
	bytes U              // of all chunks; first, for 64-bit atomics on 32-bit systems
	chunk unsafe.Pointer // that is being written
	known Hash           // values that have a name
}

const (
	namesChunk = 64 << 10
	// mostNames bounds what all names take. A profile has the other values without a name.
	mostNames = 4 << 20
)

// claimName reports whether it is for the caller to give a value its name.
//
//go:norace
func claimName(v U) bool {
	c := countUpTo(&names.known, v+1, mostNames)
	return c != nil && load64(c) == 0 && cas64(c, 0, 1)
}

// writeName gives a value its name.
//
//go:norace
func writeName(v U, text string, flags U) {
	size := 16 + roundUp(U(len(text)), 8)
	for {
		chunk := loadp(&names.chunk)
		if chunk != nil {
			record := (*U)(chunk)
			if at := fetchAdd64(Word(record, NamUsed), size); at+size <= *Word(record, RecSize) {
				entry := (*U)(unsafe.Add(chunk, at))
				copy(unsafe.Slice((*byte)(unsafe.Pointer(Word(entry, 2))), len(text)), text)
				*Word(entry, 1) = U(len(text)) | flags<<32
				store64(entry, v) // that of a process that is killed before is 0
				return
			}
		}
		if fetchAdd64(&names.bytes, namesChunk) >= mostNames || !addNames(chunk) {
			return
		}
	}
}

// addNames makes a chunk, unless another thread has.
//
//go:norace
func addNames(old unsafe.Pointer) bool {
	chunk := newTable(namesChunk)
	if chunk == nil {
		return false
	}
	record := (*U)(chunk)
	*Word(record, RecKind), *Word(record, RecSize), *Word(record, NamUsed) = KindNames, namesChunk, NamWords*8
	*Word(record, RecRegion), *Word(record, RecRegionSize) = NamWords*8, namesChunk-NamWords*8
	if !casp(&names.chunk, old, chunk) {
		freeTable(chunk, namesChunk)
		return true
	}
	store64(Word(record, RecMagic), RecordMagic)
	return true
}
