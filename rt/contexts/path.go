//go:build goprofinstr_std && goprofinstr_sampler

package contexts

import (
	"unsafe"

	"github.com/goprofinstr/goprofinstr/sampler/pcct"
)

// A PathEnd is the end of a path of the innermost function of a stack.
type PathEnd struct {
	Estimate U    // where the path's estimate is, or the Hash with it, as that is in the tree
	Number   U    // the path, if its estimate is in a Hash
	Word     U    // address of the activation word, 0 if there is none; or Unsaid
	Whole    bool // the path is of the function that the innermost frame is of, whatever was inlined there
}

// Unsaid is the Word of a path end that does not say whether and where it has one. Words are at even addresses.
const Unsaid U = 1

// AtStart is how many path ends are looked at when the program starts: whoever tries it on a small one wants to see all contexts.
const AtStart = 64

// Attach attaches the stack of a path end to the tree, and returns the path there, or 0.
//
//go:norace
func Attach(at unsafe.Pointer, end PathEnd) (path pcct.Ref) {
	path, _ = attachEnd(at, end)
	return path
}

// Claim is Attach for a path end that may get the time of the last tick.
//
//go:norace
func Claim(at unsafe.Pointer, end PathEnd) (path pcct.Ref) {
	path, seen := attachEnd(at, end)
	if Matching() {
		match(at, seen.n, seen.parent, seen.function, path)
	}
	return path
}

// Matching reports whether path ends are still to be looked at for the one that gets the time of the last tick.
//
//go:norace
func Matching() bool { return contexts.matches > 0 }

// Executed adds executions, in units of sampler.One, to those of a path in its context, of which one has been seen.
//
//go:norace
func Executed(path pcct.Ref, executions U) {
	tree := &contexts.tree
	*tree.Word(path, pcct.PathEstimate) += executions
	*tree.Word(path, pcct.PathSamples)++
}

// seenContext is what has been found of the stack of a path end.
type seenContext struct {
	n                int // frames; 0 if nothing could be found
	parent, function pcct.Ref
}

//go:norace
func attachEnd(at unsafe.Pointer, end PathEnd) (path pcct.Ref, seen seenContext) {
	c := &contexts
	feed()
	lost := c.tree.Lost()
	seen.n, seen.parent = attach(at)
	if seen.n > 0 {
		where := locationOf(U(c.frames[0].Call) | anyLine)
		if end.Whole {
			where = locationOf(U(c.frames[0].Entry) | anyLine | outermost)
		}
		seen.function = c.tree.Innermost(where)
		if c.marks && c.tree.Frames(where) == 1 { // not inlined
			word := end.Word
			if word == Unsaid {
				word = findWord(&c.frames[0])
			}
			learnWord(&c.frames[0], word)
		}
		if node := c.tree.Node(seen.parent, where); node != 0 {
			path = c.tree.Path(node, end.Estimate, end.Number)
		}
	}
	noteCut(lost)
	return path, seen
}
