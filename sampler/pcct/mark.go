package pcct

import "unsafe"

// Marks: an activation that may run for long has an activation word in its frame, which is a variable that nobody else
// writes. It holds a number of its function at first, fresh, and the sampler marks the activation by clearing a bit of that.
//
// How far the word is from the end of the frame is the same for all activations of a function. It is known once one of its
// path ends has been trapped, unless the function has been inlined there. Until then the frame is searched: of long-running
// functions few paths end. Nothing else holds that number but by chance. A place must have held it, marked or not, at two
// samples, lest chance overwrites what is the user's.

// markBit is the bit that is cleared in the word of an activation that is marked.
const markBit = 1 << 62

// mostSearched is how long a frame may be that is searched for its word, in bytes.
const mostSearched = 4096

// Memory is that of an activation: its frame.
type Memory struct {
	Begin unsafe.Pointer
	Size  uintptr // in bytes; 0 for what is no frame
}

// word returns the address of a word of the frame.
//
//go:norace
func (m Memory) word(at uintptr) *U { return (*U)(unsafe.Add(m.Begin, at)) }

// An ActivationWord is what is known of those of a function.
type ActivationWord struct {
	Fresh U // what they hold at first; 0 if that is not known

	brief    bool    // there are none: the function returns soon
	distance uintptr // from the end of a frame; 0 if it is not known

	places [4]uintptr // distances at which a search has found a word
}

// LearnNone notes that activations have no word.
//
//go:norace
func (w *ActivationWord) LearnNone() { w.brief = true }

// Learn notes that the word of an activation is at a place of its frame. If that is not inside of the frame, the compiler
// has put it elsewhere.
//
//go:norace
func (w *ActivationWord) Learn(m Memory, at uintptr) {
	if at >= m.Size || m.Size-at < 8 {
		return
	}
	w.brief, w.distance = false, m.Size-at
	w.Fresh = *m.word(at) | markBit // lines of the user's own //line directives are others than the number was made of
}

// Find returns where in a frame, whose function is at the end of a path, the word is.
//
//go:norace
func (w *ActivationWord) Find(m Memory) (at uintptr, ok bool) {
	for at = 0; w.Fresh != 0 && at+8 <= m.Size; at += 8 {
		if w.lookAt(m, at, false) != Unknown {
			return at, true
		}
	}
	return 0, false
}

// Look finds out what is known of an activation, and marks it if it has a word and may be written to.
//
//go:norace
func (w *ActivationWord) Look(m Memory, write bool) ActivationKind {
	switch {
	case w.brief:
		return Brief
	case w.distance != 0:
		if w.distance > m.Size {
			return Unmarked // the frame is not there yet, or not any more, and what is in its place belongs to others
		}
		if kind := w.lookAt(m, m.Size-w.distance, write); kind != Unknown {
			return kind
		}
		return Unmarked
	case w.Fresh == 0 || m.Size > mostSearched:
		return Unknown
	}
	return w.search(m, write)
}

// search looks for the word in a frame. What a dead activation of the same function has left behind may be there, too, and
// is marked with it.
//
//go:norace
func (w *ActivationWord) search(m Memory, write bool) ActivationKind {
	found := Unknown
	const step = unsafe.Sizeof(m.Size)
	for at := uintptr(0); at+8 <= m.Size; at += step {
		if *m.word(at)|markBit != w.Fresh {
			continue
		}
		if kind := w.lookAt(m, at, write && w.again(m.Size-at)); kind == Unmarked || found == Unknown {
			found = kind
		}
	}
	return found
}

// again reports whether a search has found a word at a distance before.
//
//go:norace
func (w *ActivationWord) again(distance uintptr) bool {
	for i := range w.places {
		switch w.places[i] {
		case distance:
			return true
		case 0:
			w.places[i] = distance
			return false
		}
	}
	return false
}

// lookAt looks at what may be the word of a frame.
//
//go:norace
func (w *ActivationWord) lookAt(m Memory, at uintptr, write bool) ActivationKind {
	switch word := m.word(at); *word {
	case w.Fresh:
		if write {
			*word &^= markBit
		}
		return Unmarked
	case w.Fresh &^ markBit:
		return Marked
	}
	return Unknown
}
