package pcct

// New and old activations: PCCT 5.2 tells calls that were made since the last sample from calls that are still running, by a
// mark in their return address, which Go's unwinder forbids. What there is in place of it:
//
//   - Activations of functions with loops have a word of their own, 0 when they begin, in which the sampler leaves a mark. That is
//     exact, once it is known where in the frame the word is: the first trapped path end of a function tells.
//   - A function without loops executes each of its calls once at the most. So if its activation is old and still in the
//     same call as at the last sample, then so is what it has called; and if what it has called is new although it
//     stands in the same call, it is new itself.
//   - What encloses an old activation is old, and what a new one encloses is new.
//
// That leaves functions of which nothing is known, since they are not instrumented or have not been trapped yet, which are taken for old if
// they are where they were; and loop-free ones that a loop calls and that have gone on to another call, they or what they have called. A stack that has
// gone on far within is taken for an old one, one that has near the loop for a new one.

// An Activation is a frame of a stack as a sample sees it.
type Activation struct {
	Place
	Kind Kind
}

// Kind is what is known of the function of an activation, and its mark.
type Kind uint8

// Kinds of activations.
const (
	Unknown  Kind = iota // nothing
	LoopFree             // its function has no loop
	Unmarked             // its function has a loop, and there is no mark: it has begun since the last sample
	Marked
)

// A History is the last stack that was sampled of a goroutine, or of another one that has the same place.
type History struct {
	goroutine U
	n         int
	places    [MostDepth]Place // outermost first
}

// Old finds out which activations of a stack, innermost first, were there at the last sample already, and remembers the stack for the
// next. It sets old[i] for stack[i].
//
//go:norace
func (h *History) Old(goroutine U, stack []Activation, old []bool) {
	n := len(stack)
	if h.goroutine != goroutine {
		h.n = 0
	}
	marked := 0 // the innermost one with a mark
	for marked < n && stack[marked].Kind != Marked {
		marked++
	}
	sameCall, once := true, false // the caller is old, in the same call as at the last sample, and makes it once
	for i := n - 1; i >= 0; i-- {
		switch {
		case i >= marked:
			old[i] = true
		case !sameCall || stack[i].Kind == Unmarked:
			old[i] = false
		case once:
			old[i] = true
		default:
			old[i] = h.seemsOld(stack, i)
		}
		sameCall = old[i] && h.stays(stack, i)
		once = sameCall && stack[i].Kind == LoopFree
	}
	h.goroutine, h.n = goroutine, n
	for i := range stack {
		h.places[n-1-i] = stack[i].Place
	}
}

// stays reports whether there was an activation at the same place and in the same call.
//
//go:norace
func (h *History) stays(stack []Activation, i int) bool {
	depth := len(stack) - 1 - i
	return depth < h.n && h.places[depth] == stack[i].Place
}

// farWithin is how many loop-free activations must be in the same calls so that the outermost is taken for old if another one is not.
const farWithin = 2

// seemsOld decides on an activation that has been called from where one was at the last sample.
//
//go:norace
func (h *History) seemsOld(stack []Activation, i int) bool {
	for first := i; i >= 0; i-- {
		depth := len(stack) - 1 - i
		switch {
		case depth >= h.n || stack[i].Kind == Unmarked:
			return false
		case stack[i].Kind == Unknown:
			return h.places[depth].FP == stack[i].FP
		case !h.stays(stack, i):
			return first-i >= farWithin
		}
	}
	return false
}
