package event

import (
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/rt/sys"
)

// names are what the values of functions and strings are called, in records of the run file that are appended to. Addresses
// mean nothing in another process, and the program may be gone when its profile is read.
var names struct {
	bytes U              // of all chunks; first, for 64-bit atomics on 32-bit systems
	chunk unsafe.Pointer // that is being written
	known rt.Hash        // values that have a name
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
	c := rt.CounterUpTo(&names.known, v+1, mostNames)
	return c != nil && sys.Load64(c) == 0 && sys.CAS64(c, 0, 1)
}

// writeName gives a value its name.
//
//go:norace
func writeName(v U, text string, flags U) {
	const head = unsafe.Sizeof(runfile.NameEntry{})
	size := U(head) + sys.RoundUp(U(len(text)), 8)
	for {
		chunk := sys.LoadP(&names.chunk)
		if chunk != nil {
			record := (*runfile.NamesRecord)(chunk)
			if at := sys.FetchAdd64(&record.Used, size); at+size <= record.Size {
				entry := (*runfile.NameEntry)(unsafe.Add(chunk, at))
				sys.PutText(unsafe.Add(unsafe.Pointer(entry), head), text)
				entry.Length = U(len(text)) | flags<<32
				sys.Store64(&entry.Value, v) // that of a process that is killed before is 0
				return
			}
		}
		if sys.FetchAdd64(&names.bytes, namesChunk) >= mostNames || !addNames(chunk) {
			return
		}
	}
}

// addNames makes a chunk, unless another thread has.
//
//go:norace
func addNames(old unsafe.Pointer) bool {
	head := runfile.NewChunk(runfile.KindNames, namesChunk)
	if head == nil {
		return false
	}
	record := (*runfile.NamesRecord)(unsafe.Pointer(head))
	const begin = U(unsafe.Sizeof(*record))
	record.Used = begin
	record.Region, record.RegionSize = begin, namesChunk-begin
	if !sys.CASP(&names.chunk, old, unsafe.Pointer(record)) {
		runfile.FreeChunk(head)
		return true
	}
	record.Publish()
	return true
}
