//go:build goprofinstr_std && goprofinstr_sampler && linux && (amd64 || arm64 || riscv64)

package rt

import (
	"runtime"
	"unsafe"

	"github.com/goprofinstr/goprofinstr/sampler/pcct"
)

// Marks of activations: see pcct.History. Where a function has its mark, as a distance from the end of the frame, which is the same for all of its
// activations, is known once one of its path ends has been trapped, unless it has been inlined there.

// marked is what the sampler writes into marks.
const marked = 0x6d61_726b_6564_2e2e

// loopFree stands in place of a distance for a function whose activations have no mark. Marks are at even addresses.
const loopFree = 1

var marks struct {
	learned   [1024]struct{ entry, distance uintptr }
	histories [pastStacks]pcct.History
	stack     [pcct.MostDepth]pcct.Activation
	old       [pcct.MostDepth]bool
}

// learnMark notes where a function has its mark, of which an activation has said where its own is.
//
//go:norace
func learnMark(f *runtime.GoprofinstrFrame, mark U) {
	distance := f.FP - uintptr(mark)
	if nativeProbes() {
		distance = nativeMark(f.Entry)
		mark = U(f.FP - distance)
	}
	switch {
	case mark == 0, distance == 0:
		distance = loopFree
	case uintptr(mark) < f.SP || uintptr(mark) >= f.FP:
		return // the compiler has put it elsewhere
	}
	l := &marks.learned[f.Entry/16%uintptr(len(marks.learned))]
	l.entry, l.distance = f.Entry, distance
}

// distanceOf returns what learnMark has noted, or 0.
//
//go:norace
func distanceOf(f *runtime.GoprofinstrFrame) uintptr {
	if l := &marks.learned[f.Entry/16%uintptr(len(marks.learned))]; l.entry == f.Entry {
		return l.distance
	}
	return 0
}

// countNew adds the time of a tick to the nodes of its activations that have begun since the last, and marks all of them. The tick has n
// frames, of which the innermost is that of the node leaf.
//
//go:norace
func countNew(at unsafe.Pointer, n int, leaf pcct.Ref, time U) {
	m, c := &marks, &contexts
	goroutine, own := runtime.GoprofinstrGoroutine(at)
	for i := range c.frames[:n] {
		f := &c.frames[i]
		a := pcct.Activation{Place: c.places[i]}
		switch distance := distanceOf(f); distance {
		case 0:
		case loopFree:
			a.Kind = pcct.LoopFree
		default:
			a.Kind = pcct.Unmarked
			if f.FP-distance < f.SP {
				break // the frame is not there yet, or not any more, and what is in its place belongs to others
			}
			switch mark := (*U)(pointer(f.FP - distance)); {
			case *mark == marked:
				a.Kind = pcct.Marked
			case *mark == 0 && own: // on the thread's stack the runtime may be about to move the goroutine's
				*mark = marked
			}
		}
		m.stack[i] = a
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
