package rt

import (
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/rt/sys"
)

// A Hash counts the paths of a function that has too many for an array. The
// zero value is ready. Rewritten code declares var H [k]rt.Hash and hands the
// array to Register, before or after the first use.
//
// It is a chain of hash chunks, open-addressing tables, each a record of the run file and
// twice as large as the one before. An entry once claimed never moves and never goes
// away. So counting needs no lock, and a file cut off at any moment holds every count
// made so far.
//
// A path is looked for in window neighbouring entries of each chunk in turn and
// takes the first free one. Entries are only ever filled, so a free entry proves
// that the path is not further on. Two threads that bring the same new path
// contend for the same entry: a path is in one place only.
type Hash struct {
	_    [runfile.HashSize - unsafe.Sizeof(uintptr(0))]byte // makes it HashSize bytes on 32-bit systems too
	head unsafe.Pointer                                     // first chunk, nil until a path is counted
}

// window is how many entries are tried per chunk: 8 entries of 16 bytes
// are two or three cache lines.
const window = 8

// Path counts one execution of a path. It takes no lock and allocates nothing
// on the Go heap; when the Hash cannot grow, the execution is added to the
// run's lost ones. A path number must be less than 2⁶⁴-1.
//
//go:norace
func Path(h *Hash, path U) {
	if c := CounterOf(h, path+1); c != nil {
		sys.Add64(c, 1)
	} else {
		runfile.Lose()
	}
}

// CounterOf returns the address of key's count, or nil when there is no room.
//
//go:norace
func CounterOf(h *Hash, key U) *U { return CounterUpTo(h, key, runfile.MaxChunk) }

// CounterUpTo is CounterOf in chunks that are no larger than most.
//
//go:norace
func CounterUpTo(h *Hash, key, most U) *U {
	if e := entryUpTo(h, key, most); e != nil {
		return &e.Count
	}
	return nil
}

// entryUpTo returns the entry of key, or nil when there is no room in chunks that are no larger than most.
//
//go:norace
func entryUpTo(h *Hash, key, most U) *runfile.HashEntry {
	link, size := &h.head, U(runfile.Page)
	for x := sys.Mix(key); ; x = sys.Mix(x) { // another place in every chunk
		t := sys.LoadP(link)
		if t == nil {
			if size > most && most < runfile.MaxChunk {
				return nil
			}
			if t = grow(h, link, size); t == nil {
				return nil
			}
		}
		chunk := (*runfile.HashRecord)(t)
		entries := chunk.Entries
		if entries == 0 {
			return nil // the file has been truncated: see revoked
		}
		i := ((x >> 32) * (entries - window + 1)) >> 32
		e := chunk.Entry(i)
		for range window {
			k := sys.Load64(&e.Path)
			if k == 0 {
				if sys.CAS64(&e.Path, 0, key) {
					return e
				}
				k = sys.Load64(&e.Path) // another thread has claimed it: for the same path?
			}
			if k == key {
				return e
			}
			e = (*runfile.HashEntry)(unsafe.Add(unsafe.Pointer(e), runfile.EntrySize)) // a multiplication less than Entry
		}
		link, size = chunk.NextChunk(), 2*chunk.Size
	}
}

// Empty tells that nothing has been counted in a Hash.
//
//go:norace
func Empty(h *Hash) bool { return sys.LoadP(&h.head) == nil }

// Sum returns how often all paths in a Hash have been counted.
//
//go:norace
func Sum(h *Hash) (sum U) {
	for t := sys.LoadP(&h.head); t != nil; {
		chunk := (*runfile.HashRecord)(t)
		for i := range chunk.Entries {
			sum += sys.Load64(&chunk.Entry(i).Count)
		}
		t = sys.LoadP(chunk.NextChunk())
	}
	return sum
}

// grow hangs a new chunk of size bytes on link and returns it, or the one that
// another thread hung there first, or nil.
//
//go:norace
func grow(h *Hash, link *unsafe.Pointer, size U) unsafe.Pointer {
	head := runfile.NewChunk(runfile.KindHash, size)
	if head == nil {
		return nil
	}
	chunk := (*runfile.HashRecord)(unsafe.Pointer(head))
	const begin = U(unsafe.Sizeof(*chunk))
	chunk.Region, chunk.RegionSize = begin, size-begin
	chunk.Hash = U(uintptr(unsafe.Pointer(h)))
	chunk.Entries = (size - begin) / runfile.EntrySize
	if !sys.CASP(link, nil, unsafe.Pointer(chunk)) {
		runfile.FreeChunk(head)
		return sys.LoadP(link)
	}
	chunk.Publish()
	return unsafe.Pointer(chunk)
}
