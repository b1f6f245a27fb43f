//go:build goprofinstr_std && goprofinstr_sampler

package contexts

import (
	"runtime"
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/sys"
	"github.com/goprofinstr/goprofinstr/sampler/pcct"
)

// Activation words: package pcct says what they are, and finds them in frames (pcct.ActivationWord). Here is what is known
// of functions.

// A knownFunction has what is known of the activation words of a function.
type knownFunction struct {
	entry uintptr
	word  pcct.ActivationWord
}

var words struct {
	functions [1024]knownFunction
	histories [pastStacks]pcct.History
	stack     [pcct.MostDepth]pcct.Activation
	old       [pcct.MostDepth]bool
}

// wordOf returns what is known of the activation words of a frame's function.
//
//go:norace
func wordOf(f *runtime.GoprofinstrFrame) *pcct.ActivationWord {
	m := &words.functions[f.Entry/16%uintptr(len(words.functions))]
	if m.entry != f.Entry {
		*m = knownFunction{entry: f.Entry}
		var funcs [pcct.MostFrames]runtime.GoprofinstrFunc
		n := runtime.GoprofinstrFuncs(f.Entry, funcs[:])
		if n > 0 {
			own := &funcs[n-1]
			m.word.Fresh = Fresh(sys.Text(own.File, own.FileLen), U(own.StartLine))
		}
	}
	return &m.word
}

// memoryOf returns the memory of a frame.
//
//go:norace
func memoryOf(f *runtime.GoprofinstrFrame) pcct.Memory {
	if f.FP < f.SP {
		return pcct.Memory{}
	}
	return pcct.Memory{Begin: sys.Pointer(f.SP), Size: f.FP - f.SP}
}

// learnWord notes where a function has its activation word. An activation has said at what address its own word is: 0 if it has
// none.
//
//go:norace
func learnWord(f *runtime.GoprofinstrFrame, address U) {
	if address == 0 {
		wordOf(f).LearnNone()
	} else if uintptr(address) >= f.SP {
		wordOf(f).Learn(memoryOf(f), uintptr(address)-f.SP)
	}
}

// findWord returns the address of the activation word in a frame whose function is at the end of a path, 0 if it has none.
//
//go:norace
func findWord(f *runtime.GoprofinstrFrame) U {
	if at, ok := wordOf(f).Find(memoryOf(f)); ok {
		return U(f.SP + at)
	}
	return 0
}

// countNew adds the time of a tick to the nodes of its activations that have begun since the last, and marks all of them.
// The tick has n frames, of which the innermost is that of the node leaf.
//
//go:norace
func countNew(at unsafe.Pointer, n int, leaf pcct.Ref, time U) {
	w, c := &words, &contexts
	goroutine, own := runtime.GoprofinstrGoroutine(at)
	for i := range c.frames[:n] {
		f := &c.frames[i]
		kind := wordOf(f).Look(memoryOf(f), own) // on the thread's stack the runtime may be about to move the goroutine's
		w.stack[i] = pcct.Activation{Place: c.places[i], Kind: kind}
	}
	w.histories[goroutine%pastStacks].Old(goroutine, w.stack[:n], w.old[:n])
	stack := &c.stacks[goroutine%pastStacks]
	for i := range n {
		node := leaf
		if i > 0 {
			node = stack.Caller(i - 1)
		}
		if node != 0 && !w.old[i] {
			*c.tree.Word(node, pcct.NodeNew) += time
		}
	}
}
