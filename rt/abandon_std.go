//go:build goprofinstr_std && goprofinstr_runtime

package rt

import (
	"internal/runtime/exithook"
	"unsafe"
)

// The functions here and those in package runtime that rewrite/target adds belong together.

// ranges holds the hash tables of all packages. A node is never changed once it is linked.
var ranges unsafe.Pointer // *hashRange

type hashRange struct {
	hashes unsafe.Pointer
	size   uintptr
	next   *hashRange
}

func init() {
	registered = func(hashes *Hash, nh int) {
		n := &hashRange{unsafe.Pointer(hashes), uintptr(nh) * unsafe.Sizeof(Hash{}), (*hashRange)(loadp(&ranges))}
		casp(&ranges, unsafe.Pointer(n.next), unsafe.Pointer(n)) // packages are initialised one after the other
	}
	onAbandoned(abandoned)
	exithook.Add(exithook.Hook{F: abandonAll, RunOnFailure: true})
}

// onAbandoned says what is to be called for what may be a Frame.
//
//go:linkname onAbandoned
func onAbandoned(f func(p unsafe.Pointer))

// abandonAll calls abandoned for all activations of all goroutines: the process is about to exit.
//
//go:linkname abandonAll
func abandonAll()

// abandoned counts the part of a path that an activation has executed, if p points to its Frame or to the Anchor of that. It is
// called, on a stack of the system's, for everything in a dead stack frame that looks like one: a pointer and a word, as a string does.
// All that it calls is norace: the race detector knows nothing of those stacks.
//
//go:norace
func abandoned(p unsafe.Pointer) {
	if a := (*Anchor)(p); a.magic == anchored && a.frame != nil {
		p = unsafe.Pointer(a.frame)
		a.frame = nil
	}
	words := (*[2]uintptr)(p)
	at := words[0]
	for r := (*hashRange)(loadp(&ranges)); r != nil; r = r.next {
		if off := at - uintptr(r.hashes); off < r.size {
			words[0] = 0
			// A path register may be "negative", and -1 is no path number.
			Path((*Hash)(unsafe.Add(r.hashes, off)), U(words[1])^1<<63)
			return
		}
	}
}
