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
	namesBegin = U(unsafe.Sizeof(runfile.NamesRecord{}))
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
	if size > namesChunk-namesBegin {
		return // no chunk has room for it
	}
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
		if !addNames(chunk) {
			return
		}
	}
}

// addNames makes a chunk, unless another thread has. It reports false if there can be no more.
//
//go:norace
func addNames(old unsafe.Pointer) bool {
	if sys.FetchAdd64(&names.bytes, namesChunk) >= mostNames {
		return false
	}
	head := runfile.NewChunk(runfile.KindNames, namesChunk)
	if head == nil {
		return false
	}
	record := (*runfile.NamesRecord)(unsafe.Pointer(head))
	record.Used = namesBegin
	record.Region, record.RegionSize = namesBegin, namesChunk-namesBegin
	if !sys.CASP(&names.chunk, old, unsafe.Pointer(record)) {
		runfile.FreeChunk(head)
		sys.Add64(&names.bytes, ^U(namesChunk-1)) // less by a chunk
		return true
	}
	record.Publish()
	return true
}
