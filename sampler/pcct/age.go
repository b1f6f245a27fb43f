package pcct

// New and old activations: PCCT 5.2 tells calls that were made since the last sample from calls that are still running. It
// has a mark in their return address, which Go's unwinder forbids. What there is in place of it:
//
//   - Activations of functions that may run for long have a word of their own, in which the sampler leaves a mark. Such functions
//     have loops, or call anything but functions that have none.
//   - Others are over before the next sample.
//   - What encloses an old activation is old, and what a new one encloses is new.
//
// That leaves functions of which nothing is known, since they are not instrumented. Unless one of the rules says what they
// are, they are taken for old if they are where they were.

// An Activation is a frame of a stack as a sample sees it.
type Activation struct {
	Place
	Kind ActivationKind
}

// ActivationKind is what is known of the function of an activation, and its mark.
type ActivationKind uint8

// Kinds of activations.
const (
	Unknown  ActivationKind = iota // nothing
	Brief                          // its function returns soon
	Unmarked                       // it has begun since the last sample
	Marked
)

// A History is the last stack that was sampled of a goroutine, or of another one that has the same place.
type History struct {
	goroutine U
	n         int
	places    [MostDepth]Place // outermost first
}

// Old finds out which activations of a stack, innermost first, were there at the last sample already, and remembers the
// stack for the next. It sets old[i] for stack[i].
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
	sameCall := true // the caller is old, and in the same call as at the last sample
	for i := n - 1; i >= 0; i-- {
		depth := n - 1 - i
		old[i] = i >= marked || sameCall && stack[i].Kind == Unknown && depth < h.n && h.places[depth].FP == stack[i].FP
		sameCall = old[i] && depth < h.n && h.places[depth] == stack[i].Place
	}
	h.goroutine, h.n = goroutine, n
	for i := range stack {
		h.places[n-1-i] = stack[i].Place
	}
}
