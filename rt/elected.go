package rt

import "unsafe"

// Calls of interface methods and function values are more frequent than other events, and most places call the same function again and again. A Selector of calls
// therefore *elects* one target, the first that has been counted often enough, and from then on
//
//	MOVQ  itab, …          the compiler has it in a register anyhow
//	CMPQ  K+off(SB), itab
//	JNE   missed
//
// is all that a call of the elected target costs: it is not counted. How often the call is executed at all is known from paths, and all other targets are counted, so the
// reader of the run file computes what is left for the elected one, exactly (STRAT's C: the length of the stream is known).
//
// Other targets come through a table, again, from which the place of their count in the Hash is known.

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

	// electedAfter is how often a target is counted before it is elected. That most of a site's calls are of another is then improbable, and a site that
	// takes no more than this is counted as it was. In strata, messages are counted: twice as many events as the rate, unless the stratum has others.
	electedAfter         = 64
	electedAfterMessages = 2
)

// Target makes an event of a call of f, a function value, and returns it.
//
//go:norace
func Target[F any](f F, s *Selector) F {
	if p := *(**uintptr)(unsafe.Pointer(&f)); p != nil && *p != s.Elected {
		s.target(p)
	}
	return f
}

// Method makes an event of a call of a method of x, an interface, and returns it.
//
//go:norace
func Method[I any](x I, s *Selector) I {
	if itab := *(*uintptr)(unsafe.Pointer(&x)); itab != s.Elected {
		s.method(itab)
	}
	return x
}

// target is Target for the closure that f points to, whose first word is the address of its code, if that is not the elected one.
//
//go:norace
func (s *Selector) target(f *uintptr) {
	if !s.again(*f) && s.called(*f, *f) {
		writeName(U(*f), symbol(*f), 0)
	}
}

const (
	pointerSize = unsafe.Sizeof(uintptr(0))
	// Of internal/abi.ITab: two pointers, a hash of 32 bits, and the methods.
	itabType = pointerSize
	itabFun  = (2*pointerSize + 4 + pointerSize - 1) / pointerSize * pointerSize
	// Of internal/abi.Type: two words, 32 bits, and four bytes of which this is the last. The upper bits are flags.
	typeKind    = 2*pointerSize + 7
	kindMask    = 1<<5 - 1
	kindPointer = 22
)

// ByValue tells of the name of a method that the receiver is not a pointer, though it may be called by a wrapper that has one.
const ByValue = 1

// method is Method for the table of methods of an interface, if that is not the elected one. The value is the address of the method's entry in it, for one wrapper may
// serve the types T and *T, which are different targets.
//
//go:norace
func (s *Selector) method(itab uintptr) {
	if entry := itab + itabFun + uintptr(s.Index)*pointerSize; itab != 0 && !s.again(entry) && s.called(entry, itab) {
		nameMethod(itab, entry)
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
	writeName(U(entry), symbol(*(*uintptr)(unsafe.Add(table, entry-itab))), flags)
}

// called counts an event of a value of which is not known where it is counted, and reports whether it wants a name. The target is what calls are compared with if
// it is elected.
//
//go:norace
func (s *Selector) called(value, target uintptr) bool {
	v, after := U(value), U(electedAfter)
	switch {
	case s.Rate == FedRate:
		Feed(s.Hash, v)
		return claimName(v)
	case s.Rate != 0:
		if after = electedAfterMessages; !isMessage(Hashed(Fold(v), s.Key, s.Shift), s.Rate) {
			return false
		}
	}
	c, own := s.place(v)
	if c == nil {
		return false
	}
	n := fetchAdd64(c, 1)
	if own && n+1 >= after {
		s.elect(v, target)
		if s.Elected != target {
			s.keep(value, c)
		}
	}
	return own && n == 0 && claimName(v)
}

// elect elects a target, if the Selector does and has none.
//
//go:norace
func (s *Selector) elect(v U, target uintptr) {
	mode := load32(&s.Mode)
	if mode&(Elects|decided) != Elects || !cas32(&s.Mode, mode, mode|decided) {
		return
	}
	if c := countUpTo(s.Hash, v|ElectedOf+1, mostValues); c != nil {
		store64(c, 1) // before anything is not counted, so that a process that is killed has told
		casp(pointerIn(&s.Elected), nil, *pointerIn(&target))
	}
}

// A recent is a value of a Selector's calls and where it is counted.
type recent struct {
	value uintptr
	count uintptr
}

const (
	// recentBits is how many bits the number of a recent has. A table takes 2 KB. The calls of an interpreter's instructions have some 40 targets.
	recentBits = 7
	// mostRecents is for how many selectors there are tables, of those in the whole program whose targets are counted often and not elected.
	mostRecents = 128
)

// recents are tables of the values of Selectors. One more is there for the second place of the last.
var (
	recents     [mostRecents][1<<recentBits + 1]recent
	usedRecents U
)

// recentOf returns where a value is in a table, or in the place behind.
func recentOf(table unsafe.Pointer, value uintptr) *recent {
	i := uint32(value) * multiplier >> (32 - recentBits)
	return (*recent)(unsafe.Add(table, uintptr(i)*unsafe.Sizeof(recent{})))
}

// next returns the place behind r.
func (r *recent) next() *recent {
	return (*recent)(unsafe.Add(unsafe.Pointer(r), unsafe.Sizeof(recent{})))
}

// again counts an event of a value, if it is known where, and reports whether it is.
//
//go:norace
func (s *Selector) again(value uintptr) bool {
	table := loadp(pointerIn(&s.Recent))
	if table == nil {
		return false
	}
	r := recentOf(table, value)
	if uintptr(loadp(pointerIn(&r.value))) != value {
		if r = r.next(); uintptr(loadp(pointerIn(&r.value))) != value {
			return false
		}
	}
	if s.Rate != 0 && !isMessage(Hashed(Fold(U(value)), s.Key, s.Shift), s.Rate) {
		return true
	}
	if c := (*U)(*pointerIn(&r.count)); s.Mode&Atomic != 0 {
		add64(c, 1)
	} else {
		*c++
	}
	return true
}

// keep has again know a value that is counted at c, while there is room.
//
//go:norace
func (s *Selector) keep(value uintptr, c *U) {
	table := loadp(pointerIn(&s.Recent))
	if table == nil {
		if load64(&usedRecents) >= mostRecents {
			return
		}
		i := fetchAdd64(&usedRecents, 1)
		if i >= mostRecents {
			return
		}
		casp(pointerIn(&s.Recent), nil, unsafe.Pointer(&recents[i]))
		table = loadp(pointerIn(&s.Recent))
	}
	r := recentOf(table, value)
	for range 2 {
		if casp(pointerIn(&r.count), nil, unsafe.Pointer(c)) {
			casp(pointerIn(&r.value), nil, *pointerIn(&value))
			return
		}
		r = r.next()
	}
}

// pointerIn returns p as the place of a pointer. What these words lead to is no memory of Go's heap, and is never freed.
func pointerIn(p *uintptr) *unsafe.Pointer { return (*unsafe.Pointer)(unsafe.Pointer(p)) }
