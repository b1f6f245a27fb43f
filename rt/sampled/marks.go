//go:build goprofinstr_std && goprofinstr_sampler

package sampled

import (
	"runtime"
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/sys"
	"github.com/goprofinstr/goprofinstr/sampler/pcct"
)

// Marks of activations, or activation words: see pcct.History. A mark is a word in the frame that holds Mark of its function at first, in which a bit is cleared once a tick has
// seen it. Where it is, as a distance from the end of the frame, is the same for all activations of a function; it is known once one of its path ends has
// been trapped, unless it has been inlined there. Until then the frame is searched: of long-running functions few paths end. Nothing else holds that
// value but by chance, and lest chance overwrites what is the user's, a place must have held it, or that of a mark that has been seen, at two ticks.

// seenMark is the bit that is cleared in a mark when a tick has seen its activation.
const seenMark = 1 << 62

// brief stands in place of a distance for a function whose activations have no mark. Marks are at even addresses.
const brief = 1

// mostSearched is how long a frame may be that is searched for its mark, in bytes.
const mostSearched = 4096

// A markedFunction is what is known of the mark of a function.
type markedFunction struct {
	entry    uintptr
	fresh    U // what it holds at first
	distance uintptr

	places [4]uintptr // distances at which a search has found the mark
}

var marks struct {
	functions [1024]markedFunction
	histories [pastStacks]pcct.History
	stack     [pcct.MostDepth]pcct.Activation
	old       [pcct.MostDepth]bool
}

// markOf returns what is known of the mark of a frame's function.
//
//go:norace
func markOf(f *runtime.GoprofinstrFrame) *markedFunction {
	m := &marks.functions[f.Entry/16%uintptr(len(marks.functions))]
	if m.entry != f.Entry {
		*m = markedFunction{entry: f.Entry}
		var funcs [pcct.MostFrames]runtime.GoprofinstrFunc
		n := runtime.GoprofinstrFuncs(f.Entry, funcs[:])
		if n > 0 {
			own := &funcs[n-1]
			m.fresh = Mark(sys.Text(own.File, own.FileLen), U(own.StartLine))
		}
	}
	return m
}

// learnMark notes where a function has its mark, of which an activation has said where its own is.
//
//go:norace
func learnMark(f *runtime.GoprofinstrFrame, mark U) {
	m := markOf(f)
	switch {
	case mark == 0:
		m.distance = brief
	case uintptr(mark) < f.SP || uintptr(mark) >= f.FP:
		return // the compiler has put it elsewhere
	default:
		m.distance = f.FP - uintptr(mark)
		m.fresh = *(*U)(sys.Pointer(uintptr(mark))) | seenMark // lines of the user's own //line directives are others than Mark was made of
	}
}

// findMark returns the address of the mark in a frame whose function is at the end of a path, 0 if it has none.
//
//go:norace
func findMark(f *runtime.GoprofinstrFrame) U {
	m := markOf(f)
	for p := f.SP &^ 7; m.fresh != 0 && p+8 <= f.FP; p += 8 {
		if m.lookAt(p, false) != pcct.Unknown {
			return U(p)
		}
	}
	return 0
}

// look finds out what is known of an activation, and marks it if it has a mark and may be written to.
//
//go:norace
func look(f *runtime.GoprofinstrFrame, write bool) pcct.Kind {
	m := markOf(f)
	switch from, to := f.SP, f.FP; {
	case m.distance == brief:
		return pcct.Brief
	case m.distance != 0:
		if to-m.distance < from {
			return pcct.Unmarked // the frame is not there yet, or not any more, and what is in its place belongs to others
		}
		if kind := m.lookAt(to-m.distance, write); kind != pcct.Unknown {
			return kind
		}
		return pcct.Unmarked
	case m.fresh == 0 || to-from > mostSearched:
		return pcct.Unknown
	default:
		return m.search(from, to, write)
	}
}

// search looks for the mark in a frame. What a dead activation of the same function has left behind may be there, too, and is marked with it.
//
//go:norace
func (m *markedFunction) search(from, to uintptr, write bool) pcct.Kind {
	found := pcct.Unknown
	const word = unsafe.Sizeof(from)
	for p := from &^ (word - 1); p+8 <= to; p += word {
		if mark := *(*U)(sys.Pointer(p)); mark|seenMark != m.fresh {
			continue
		}
		if kind := m.lookAt(p, write && m.again(to-p)); kind == pcct.Unmarked || found == pcct.Unknown {
			found = kind
		}
	}
	return found
}

// again reports whether a search has found the mark at a distance before.
//
//go:norace
func (m *markedFunction) again(distance uintptr) bool {
	for i := range m.places {
		switch m.places[i] {
		case distance:
			return true
		case 0:
			m.places[i] = distance
			return false
		}
	}
	return false
}

// lookAt looks at a word of a frame that may be its mark.
//
//go:norace
func (m *markedFunction) lookAt(p uintptr, write bool) pcct.Kind {
	switch mark := (*U)(sys.Pointer(p)); *mark {
	case m.fresh:
		if write {
			*mark &^= seenMark
		}
		return pcct.Unmarked
	case m.fresh &^ seenMark:
		return pcct.Marked
	}
	return pcct.Unknown
}

// countNew adds the time of a tick to the nodes of its activations that have begun since the last, and marks all of them. The tick has n
// frames, of which the innermost is that of the node leaf.
//
//go:norace
func countNew(at unsafe.Pointer, n int, leaf pcct.Ref, time U) {
	m, c := &marks, &contexts
	goroutine, own := runtime.GoprofinstrGoroutine(at)
	for i := range c.frames[:n] {
		m.stack[i] = pcct.Activation{Place: c.places[i], Kind: look(&c.frames[i], own)} // on the thread's stack the runtime may be about to move the goroutine's
	}
	m.histories[goroutine%pastStacks].Old(goroutine, m.stack[:n], m.old[:n])
	stack := &c.stacks[goroutine%pastStacks]
	for i := range n {
		node := leaf
		if i > 0 {
			node = stack.Caller(i - 1)
		}
		if node != 0 && !m.old[i] {
			*c.tree.Word(node, pcct.NodeNew) += time
		}
	}
}
