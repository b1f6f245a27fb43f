//go:build goprofinstr_std && goprofinstr_sampler

package contexts

import (
	"runtime"
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/tick"
	"github.com/goprofinstr/goprofinstr/sampler/pcct"
)

// What ticks (signal.go, monitor.go) and path ends (path.go) have in common.

// pastStacks is how many stacks are remembered: that of a goroutine is in the place of its number modulo this.
const pastStacks = 64

var contexts struct {
	on     bool
	marks  bool // activations have a word for ticks to mark
	most   int  // new frames of a sample
	tree   pcct.Tree
	stacks [pastStacks]pcct.Stack

	frames [pcct.MostDepth]runtime.GoprofinstrFrame
	places [pcct.MostDepth]pcct.Place

	time    U   // CPU time of which it is not known yet on what path it was spent
	matches int // path ends that are still to be looked at for the one of it
}

// Start has contexts found, of which a sample may have most new frames, and reports whether that can be. Marks says that
// ticks are to tell new activations from old ones. There is a tree even if most is 0: sites have locations in it, and files that
// are written at exit say where counters were if there is one.
//
//go:norace
func Start(most U, marks bool) bool {
	c := &contexts
	if feed(); most == 0 || c.tree.Hungry() {
		return false
	}
	c.most, c.marks, c.on = int(min(most, pcct.MostDepth)), marks, true
	return true
}

// On reports whether contexts are found.
//
//go:norace
func On() bool { return contexts.on }

// Stop ends that.
//
//go:norace
func Stop() { contexts.on, contexts.matches = false, 0 }

// feed gives the tree memory.
//
//go:norace
func feed() {
	t := &contexts.tree
	for t.Hungry() {
		chunk := newContexts(U(t.Chunks()))
		if chunk == 0 {
			return
		}
		t.Feed(chunk)
	}
}

// Folds reports whether MakeRoom may fold paths that somebody refers to.
//
//go:norace
func Folds() bool { return contexts.tree.Purges() }

// MakeRoom has the tree fold what is rare, if there is much. No path of a burst is held.
//
//go:norace
func MakeRoom() {
	if t := &contexts.tree; contexts.on {
		t.Purge()
		tick.Sampling.Record.Folded = t.Folded()
	}
}

// spend attaches a stack, which stands for some CPU time, and returns how many frames it has.
//
//go:norace
func spend(at unsafe.Pointer, time U) (n int) {
	c := &contexts
	feed()
	lost := c.tree.Lost()
	n, parent := attach(at)
	if n == 0 {
		return 0
	}
	spendBelow(at, n, parent, time)
	noteCut(lost)
	return n
}

// spendBelow adds CPU time to the innermost of n frames, whose caller is attached.
//
//go:norace
func spendBelow(at unsafe.Pointer, n int, parent pcct.Ref, time U) {
	c := &contexts
	leaf := c.tree.Node(parent, locationOf(U(c.frames[0].Call)))
	if leaf == 0 {
		leaf = parent // there is no room
	}
	if leaf != 0 {
		*c.tree.Word(leaf, pcct.NodeTime) += time
		*c.tree.Word(leaf, pcct.NodeSamples)++
	}
	if c.marks {
		countNew(at, n, leaf, time)
	}
}

// noteCut counts a context if the tree has lost any of it, which had lost so much before.
//
//go:norace
func noteCut(lost U) {
	if contexts.tree.Lost() != lost {
		tick.Sampling.Record.Cut++
	}
}

// attach attaches the callers of a stack to the tree. It returns how many frames there are and the node of
// the innermost caller, or 0 frames.
//
//go:norace
func attach(at unsafe.Pointer) (n int, parent pcct.Ref) {
	c := &contexts
	n, whole := runtime.GoprofinstrStack(at, c.frames[:])
	if n == 0 {
		return 0, 0
	}
	n = dropProbes(n)
	for i, f := range c.frames[:n] {
		c.places[i] = pcct.Place{PC: f.PC, FP: f.FP}
	}
	root := labels(at)
	goroutine, _ := runtime.GoprofinstrGoroutine(at)
	stack := &c.stacks[goroutine%pastStacks]
	known, parent := stack.Known(&c.tree, root, c.places[:n], whole, runtime.GoprofinstrReturns)
	record := tick.Sampling.Record
	record.Contexts++
	record.Frames += U(n)
	if !whole && known == 0 || n-known > c.most {
		record.Truncated++ // PCCT 5.4.1: it is not known where the stack goes on
	}
	if n-known > c.most {
		n, known, parent = c.most, 0, root
		stack.Forget()
	}
	record.NewFrames += U(n - known)
	for i := n - 1 - known; i > 0; i-- {
		node := c.tree.Node(parent, locationOf(U(c.frames[i].Call)))
		if node == 0 {
			stack.Forget()
			break
		}
		parent = node
		stack.Push(&c.tree, c.places[i], parent)
	}
	return n, parent
}

// dropProbes takes the innermost frames away that are of probes only. There are such frames where probes are not inlined: under
// the race detector, and where they count in a Hash. dropProbes returns how many frames are left.
//
//go:norace
func dropProbes(n int) int {
	c := &contexts
	probes := 0
	for probes < n-1 && c.tree.Frames(locationOf(U(c.frames[probes].Call))) == 0 {
		probes++
	}
	if probes > 0 {
		copy(c.frames[:], c.frames[probes:n])
	}
	return n - probes
}

// labels returns the root for the labels of the goroutine.
//
//go:norace
func labels(at unsafe.Pointer) pcct.Ref {
	list := runtime.GoprofinstrLabels(at)
	if len(list) == 0 {
		return 0
	}
	var labels [pcct.MostLabels]pcct.Label // not in a function literal: the race detector would see that
	n := min(len(list), len(labels))
	for i := range n {
		labels[i] = pcct.Label{Key: list[i].Key, Value: list[i].Value}
	}
	return contexts.tree.Labels(labels[:n])
}
