//go:build goprofinstr_std && goprofinstr_runtime

package abandon

import (
	"internal/runtime/exithook"
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/rt/sys"
)

// ranges holds the hash tables of all packages. A node is not changed any more once its package has run.
var ranges unsafe.Pointer // *hashRange

// latest is the newest of them: CASP alone would not tell a garbage collection that is under way of it.
var latest *hashRange

// exiting tells that abandonAll is called at the exit. Hooks run in the reverse order. This one is added when a package is
// registered. So it runs before those that were added when the runtime started, or sampling. Where paths are sampled, an
// activation that has ended since must not be missing in both. Its last path is in a log that is counted later.
var exiting bool

type hashRange struct {
	hashes    unsafe.Pointer
	size      uintptr
	functions string // as Positions has them
	next      *hashRange
}

func init() {
	runfile.Registered = func(hashes unsafe.Pointer, nh int) {
		n := &hashRange{hashes, uintptr(nh) * unsafe.Sizeof(rt.Hash{}), "", (*hashRange)(sys.LoadP(&ranges))}
		latest = n
		sys.CASP(&ranges, unsafe.Pointer(n.next), unsafe.Pointer(n)) // packages are initialised one after the other
	}
	positioned = func(hashes *rt.Hash, functions string) {
		// It was registered last, and nothing else of its package has run.
		if r := (*hashRange)(sys.LoadP(&ranges)); r != nil && r.hashes == unsafe.Pointer(hashes) {
			if !exiting {
				exithook.Add(exithook.Hook{F: abandonAll, RunOnFailure: true})
				exiting = true
			}
			r.functions = functions
			r.locate()
		}
	}
	onLocated(located)
	onAbandoned(abandoned)
}

// onAbandoned says what is to be called for what may be a Frame.
//
//go:linkname onAbandoned
func onAbandoned(f func(p, frame unsafe.Pointer))

// lineIn returns the line at which a function is in a stack frame, 0 if the frame is not the function's: see Positions.
//
//go:linkname lineIn
func lineIn(frame unsafe.Pointer, from, open, end, file uint32) uint32

// abandonAll calls abandoned for all activations of all goroutines: the process is about to exit.
//
//go:linkname abandonAll
func abandonAll()

// abandoned counts the part of a path that an activation has executed, if p points to its Frame or to the Anchor of that.
// abandoned is called, on a stack of the system's, for everything in a dead stack frame that looks like one: a pointer and eight
// bytes behind it, such as a string where pointers have eight. The frame is for lineIn. All that it calls is norace: the race
// detector knows nothing of those stacks. Pointers are not checked, as go test -race would check them. An earlier activation may
// have left an Anchor in a stack frame. It may lead to a Frame in memory that has been freed since, in which there is no word to
// be found.
//
//go:norace
//go:nocheckptr
func abandoned(p, frame unsafe.Pointer) {
	if a := (*Anchor)(p); a.leads() {
		p = unsafe.Pointer(a.frame)
		a.frame = nil
	}
	f := (*struct { // a Frame, in which nothing is a pointer
		at       uintptr
		register U
	})(p)
	for r := (*hashRange)(sys.LoadP(&ranges)); r != nil; r = r.next {
		if off := f.at - uintptr(r.hashes); off < r.size {
			if key, ok := r.key(off/unsafe.Sizeof(rt.Hash{}), f.register, frame); ok {
				f.at = 0
				rt.Path((*rt.Hash)(unsafe.Add(r.hashes, off)), key)
			}
			return
		}
	}
}

// key returns what an activation is counted as in hash table i, and whether it is at all.
//
//go:norace
func (r *hashRange) key(i uintptr, register U, frame unsafe.Pointer) (key U, ok bool) {
	if len(r.functions) == 0 {
		return 0, false
	}
	where := *(*[4]uint32)(unsafe.Add(unsafe.Pointer(unsafe.StringData(r.functions)), i*16))
	from := where[0] &^ AnyLine
	switch {
	case where[0] == 0 || where[0]&NoFrame != 0:
		return 0, false
	case from != 0:
		line := lineIn(frame, from, where[1], where[2], where[3])
		if line == 0 || where[0] == from {
			return LineKey(U(line), register), line != 0
		}
	}
	return register ^ 1<<63, true // a register may be "negative", and -1 is no path number
}
