package pcct

// A Stack is what is remembered of the last stack that was attached of a goroutine. When the goroutine is sampled again, only the
// innermost frames have changed. A Stack is PCCT 5.2's stop at frames that have been visited, without their mark, which Go's
// unwinder forbids. A frame is known again by its place and its return address. That says nothing about the frames outside of it,
// so these are compared, too, all the way out. The work that is saved is to look them up.
type Stack struct {
	root   Ref
	folded U // how many entries of the tree had been folded
	n      int
	frames [remembered]visited // outermost first
}

type visited struct {
	Place
	node             Ref
	parent, location Ref // that make it what it is
}

// MostDepth is how many frames of a stack are looked at.
const MostDepth = 128

// remembered is how many frames of a stack are remembered at most. When there are more, the outermost are forgotten, but
// MostDepth are kept. The outermost frame that the next sample sees of a stack that has only grown is one of these.
const remembered = 2 * MostDepth

// A Place is where a frame of a stack is, and at what.
type Place struct {
	PC uintptr // where it will go on
	FP uintptr // the end of the frame
}

// Known returns how many of the callers in a stack, counted from the outermost, are where they were when the last stack was
// attached. It also returns the node of the innermost of them. The stack is innermost frame first; whole says that its last
// frame is the outermost that there is. returns tells where the frame between two addresses will return to. It is asked
// about the frames outside of those in a stack that is not whole.
//
//go:norace
func (s *Stack) Known(t *Tree, root Ref, places []Place, whole bool, returns func(sp, fp uintptr) uintptr) (known int, node Ref) {
	first := 0
	s.keep(t)
	if s.root != root || len(places) == 0 {
		s.root, s.n = root, 0
		return 0, root
	}
	last := len(places) - 1
	if !whole { // the outermost that we see may be anywhere in the last stack
		for first < s.n && s.frames[first].Place != places[last] {
			first++
		}
	}
	for known < last && first+known < s.n && s.frames[first+known].Place == places[last-known] {
		known++
	}
	if known == 0 || !s.stand(first, places[last-1].FP, returns) {
		s.n = 0
		return 0, root
	}
	s.n = first + known
	return known, s.frames[s.n-1].node
}

// keep forgets the remembered frames whose nodes have been folded since, and those inside of them.
//
//go:norace
func (s *Stack) keep(t *Tree) {
	if s.folded == t.Folded() {
		return
	}
	s.folded = t.Folded()
	for i := range s.n {
		if v := &s.frames[i]; !t.stands(v.node, v.parent, v.location) {
			s.n = i
			return
		}
	}
}

// stand reports whether the n outermost of the remembered frames are still there: the frame inside of each must return to it. The
// innermost such frame begins at sp.
//
//go:norace
func (s *Stack) stand(n int, sp uintptr, returns func(sp, fp uintptr) uintptr) bool {
	for ; n > 0; n-- {
		fp := s.frames[n].FP
		if returns(sp, fp) != s.frames[n-1].PC {
			return false
		}
		sp = fp
	}
	return true
}

// Push remembers a caller and its node, inside of those that are known.
//
//go:norace
func (s *Stack) Push(t *Tree, p Place, node Ref) {
	if s.n == remembered {
		s.n = copy(s.frames[:], s.frames[remembered-MostDepth:])
	}
	s.frames[s.n] = visited{p, node, t.about(node), Ref(*t.Word(node, NodeLocation))}
	s.n++
}

// Forget forgets the stack.
//
//go:norace
func (s *Stack) Forget() { s.n = 0 }

// Caller returns the node of the i-th caller that is remembered, from the innermost, or 0.
//
//go:norace
func (s *Stack) Caller(i int) Ref {
	if i >= s.n {
		return 0
	}
	return s.frames[s.n-1-i].node
}
