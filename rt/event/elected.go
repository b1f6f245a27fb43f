package event

import (
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt"
	"github.com/goprofinstr/goprofinstr/rt/strata"
	"github.com/goprofinstr/goprofinstr/rt/sys"
)

// Calls of interface methods and function values are more frequent than other events, and most places call the same function
// again and again. A Selector of calls therefore *elects* one target, the first that has been counted often enough, and from
// then on
//
//	MOVQ  itab, …          the compiler has it in a register anyhow
//	CMPQ  K+off(SB), itab
//	JNE   missed
//
// is all that a call of the elected target costs: it is not counted. How often the call is executed at all is known from paths,
// and all other targets are counted. So the reader of the run file computes what is left for the elected one. It is exact
// (STRAT's C: the length of the stream is known).
//
// Of others that are frequent, too, a table tells where in the Hash they are counted.

// Modes of a Selector.
const (
	// Elects says that how often the place is executed follows from paths.
	Elects = 1 << iota
	// Atomic says that counts lose nothing under concurrency.
	Atomic
	// decided is set when there is an elected target, or one is being elected.
	decided
)

const (
	// ElectedOf is added to a value in a Hash for saying that it is the elected one. It is for calls: strings have the bit, too.
	ElectedOf = 1 << 62

	// electedAfter is how often a target is counted before it is elected. That most of a site's calls are of another is then
	// improbable, and a site that takes no more than this is counted as it was. In strata, messages are counted: twice as many
	// events as the rate, unless the stratum has others.
	electedAfter         = 64
	electedAfterMessages = 2
)

// Target makes an event of a call of f, a function value, and returns it.
//
// Target and Method cost no more than package inline's 80. What they return is a copy made before: the compiler reads a variable
// from memory again whose address is taken. That took four instructions more than the two.
//
//go:norace
func Target[F any](f F, s *Selector) (same F) {
	same = f
	if p := *(**uintptr)(unsafe.Pointer(&f)); p != nil && *p != s.Elected {
		s.target(p)
	}
	return
}

// Method makes an event of a call of a method of x, an interface, and returns it.
//
//go:norace
func Method[I any](x I, s *Selector) (same I) {
	same = x
	if itab := *(*uintptr)(unsafe.Pointer(&x)); itab != s.Elected {
		s.method(itab)
	}
	return
}

// target is Target for the closure that f points to, whose first word is the address of its code, if that is not the elected one.
//
//go:norace
//go:nosplit
func (s *Selector) target(f *uintptr) {
	if r := s.recent(*f); !r.is(*f) {
		s.newTarget(*f)
	} else if c := r.counter(); s.Mode&Atomic == 0 {
		*c++
	} else {
		s.add(U(*f), c)
	}
}

// newTarget is target for one of which is not known where it is counted.
//
//go:norace
func (s *Selector) newTarget(pc uintptr) {
	if s.called(U(pc), pc) {
		writeName(U(pc), sys.Symbol(pc), 0)
	}
}

// ByValue tells of the name of a method that the receiver is not a pointer, though it may be called by a wrapper that has one.
const ByValue = 1

// method is Method for the table of methods of an interface, if that is not the elected one.
//
//go:norace
//go:nosplit
func (s *Selector) method(itab uintptr) {
	if r := s.recent(itab); !r.is(itab) || itab == 0 {
		s.newMethod(itab)
	} else if c := r.counter(); s.Mode&Atomic == 0 {
		*c++
	} else {
		s.add(s.entry(itab), c)
	}
}

// entry returns the value of an event of a method: the address of its entry in the interface's table. The method's own address
// does not do: one wrapper may serve the types T and *T, which are different targets.
func (s *Selector) entry(itab uintptr) U { return U(itab + itabFun + uintptr(s.Index)*pointerSize) }

// newMethod is method for one of which is not known where it is counted.
//
//go:norace
func (s *Selector) newMethod(itab uintptr) {
	if itab != 0 && s.called(s.entry(itab), itab) {
		nameMethod(itab, uintptr(s.entry(itab)))
	}
}

// nameMethod gives the method at an entry of a table its name.
//
//go:norace
func nameMethod(itab, entry uintptr) {
	flags := U(ByValue)
	table := *(*unsafe.Pointer)(unsafe.Pointer(&itab))
	if *(*byte)(unsafe.Add(*(*unsafe.Pointer)(unsafe.Add(table, itabType)), typeKind))&kindMask == kindPointer {
		flags = 0
	}
	writeName(U(entry), sys.Symbol(*(*uintptr)(unsafe.Add(table, entry-itab))), flags)
}

// called counts an event of a value of which is not known where it is counted, and reports whether it wants a name. The target
// is what tells the value in code in line.
//
//go:norace
func (s *Selector) called(v U, target uintptr) bool {
	after := U(electedAfter)
	switch {
	case s.Rate == FedRate:
		strata.Feed(s.Hash, v)
		return claimName(v)
	case s.Rate != 0:
		if after = electedAfterMessages; !s.isMessage(v) {
			return false
		}
	}
	c, own := s.place(v)
	if c == nil {
		return false
	}
	n := sys.FetchAdd64(c, 1)
	if own && n+1 >= after {
		s.elect(v, target)
		if s.Elected != target {
			s.keep(target, c)
		}
	}
	return own && n == 0 && claimName(v)
}

// isMessage counts an event of the stratum of a value, and reports whether it is a message.
func (s *Selector) isMessage(v U) bool {
	return strata.IsMessage(strata.Hashed(strata.Fold(v), s.Key, s.Shift), s.Rate)
}

// add counts an event of a value at c, without losing any, or only if it is a message.
//
//go:norace
func (s *Selector) add(v U, c *U) {
	if s.Rate == 0 || s.isMessage(v) {
		sys.Add64(c, 1)
	}
}

// elect elects a target, if the Selector does and has none.
//
//go:norace
func (s *Selector) elect(v U, target uintptr) {
	mode := sys.Load32(&s.Mode)
	if mode&(Elects|decided) != Elects || !sys.CAS32(&s.Mode, mode, mode|decided) {
		return
	}
	if c := rt.CounterUpTo(s.Hash, v|ElectedOf+1, mostValues); c != nil {
		sys.Store64(c, 1) // before anything is not counted, so that a process that is killed has told
		sys.CASP(pointerIn(&s.Elected), nil, *pointerIn(&target))
	}
}

// A recent is a target of a Selector and where it is counted.
type recent struct{ target, count uintptr }

const (
	// recentBits is how many bits the number of a recent has. A table takes 2 KB. The calls of an interpreter's instructions have
	// some 40 targets.
	recentBits = 7
	// mostRecents is for how many selectors there are tables, of those in the whole program that have a target that is counted
	// often and not elected.
	mostRecents = 128
)

// recents are tables of Selectors. There is one more in each, as a second place for what belongs into the last.
var (
	recents     [mostRecents][1<<recentBits + 1]recent
	usedRecents U
)

// recentIn returns where a target is in a table, or in the place behind.
func recentIn(table unsafe.Pointer, target uintptr) *recent {
	return (*recent)(unsafe.Add(table, uintptr(uint32(target)*strata.Multiplier>>(32-recentBits))*unsafe.Sizeof(recent{})))
}

// next returns the place behind r.
func (r *recent) next() *recent {
	return (*recent)(unsafe.Add(unsafe.Pointer(r), unsafe.Sizeof(recent{})))
}

// recent returns a recent which is that of the target, if there is one. It is small enough to be inlined.
//
//go:norace
func (s *Selector) recent(target uintptr) *recent {
	r := &noRecent
	if table := sys.LoadP(pointerIn(&s.Recent)); table != nil {
		if r = recentIn(table, target); !r.is(target) {
			r = r.next()
		}
	}
	return r
}

// noRecent is no target's.
var noRecent = recent{target: 1}

// is reports whether r is that of a target.
func (r *recent) is(target uintptr) bool { return uintptr(sys.LoadP(pointerIn(&r.target))) == target }

// counter returns where the events of r are counted. It is known before the target is.
func (r *recent) counter() *U { return (*U)(*pointerIn(&r.count)) }

// keep has recent know where a target is counted, while there is room.
//
//go:norace
func (s *Selector) keep(target uintptr, c *U) {
	table := sys.LoadP(pointerIn(&s.Recent))
	if table == nil {
		if sys.Load64(&usedRecents) >= mostRecents {
			return
		}
		i := sys.FetchAdd64(&usedRecents, 1)
		if i >= mostRecents {
			return
		}
		sys.CASP(pointerIn(&s.Recent), nil, unsafe.Pointer(&recents[i]))
		table = sys.LoadP(pointerIn(&s.Recent))
	}
	r := recentIn(table, target)
	for range 2 {
		if sys.CASP(pointerIn(&r.count), nil, unsafe.Pointer(c)) {
			sys.CASP(pointerIn(&r.target), nil, *pointerIn(&target))
			return
		}
		r = r.next()
	}
}

// pointerIn returns p as the place of a pointer. What these words lead to is no memory of Go's heap, and is never freed.
func pointerIn(p *uintptr) *unsafe.Pointer { return (*unsafe.Pointer)(unsafe.Pointer(p)) }
