package rt

import "unsafe"

// A Selector makes events of what happens at a place in the program, with a value: Sastry, Bodík & Smith, "Rapid profiling via stratified sampling", section 2. The
// values are counted in a Hash, all of them or, if Rate is not 0, those of messages (strata.go). Rewritten code declares
//
//	var K = [...]rt.Selector{{&H[3], key, shift, rate, 2, 0}, …}
//
// which the linker initialises, so that events may come before the package's own initialisation. Calls of interface methods and function values become
//
//	rt.Method(x, &K[0]).M(args)        // in place of x.M(args)
//	rt.Target(f, &K[1])(args)          // in place of f(args)
//
// where x and f are evaluated once, when they would be without, and nil panics where it did.
type Selector struct {
	Hash       *Hash
	Key, Shift U // see Hashed
	Rate       uint32
	Index      uint32  // of the method in the interface's table of methods
	Last       uintptr // where the count of the value is that was counted last, if all are: most places see the same one again and again
}

// Types that the package of rewritten code may have redeclared.
type (
	I = int64
	B = bool
	S = string
)

const (
	// OtherValue is what values are counted as for which there is no room.
	OtherValue = 1<<62 - 1
	// textValue is set in the values of strings.
	textValue = 1 << 62
	// mostValues bounds the last table of a Selector in bytes, and all of them to twice that: some 30,000 values.
	mostValues = 256 << 10
)

// Target makes an event of a call of f, a function value, and returns it.
//
//go:norace
func Target[F any](f F, s *Selector) F {
	s.target(*(*unsafe.Pointer)(unsafe.Pointer(&f)))
	return f
}

// Method makes an event of a call of a method of x, an interface, and returns it.
//
//go:norace
func Method[I any](x I, s *Selector) I {
	s.method(*(*unsafe.Pointer)(unsafe.Pointer(&x)))
	return x
}

// Number makes an event of a number.
//
//go:norace
func Number(s *Selector, n I) {
	v := U(n)<<1 ^ U(n>>63)
	s.tuple(min(v, OtherValue-1))
}

// Unsigned is Number for what may be larger.
//
//go:norace
func Unsigned(s *Selector, n U) { Number(s, int64(min(n, 1<<63-1))) }

// Bool is Number for a boolean.
//
//go:norace
func Bool(s *Selector, b bool) {
	n := int64(0)
	if b {
		n = 1
	}
	Number(s, n)
}

// Trips makes an event of how often control came back to the header of a loop that it leaves: n has one more.
//
//go:norace
func Trips(s *Selector, n U) { s.tuple(n - 1) }

// Leave is Trips as an expression. It does nothing if n is 0, which says that control was not in the loop, and makes it 0. It returns 0.
//
//go:norace
func Leave(s *Selector, n *U) U {
	if *n != 0 {
		s.tuple(*n - 1)
		*n = 0
	}
	return 0
}

// mostText is how much of a string is kept, in bytes.
const mostText = 64

// Text makes an event of a string. Strings are told apart by a hash of 62 bits.
//
//go:norace
func Text(s *Selector, text string) {
	h := U(14695981039346656037) // FNV-1a
	for i := range len(text) {
		h = (h ^ U(text[i])) * 1099511628211
	}
	v := mix(h)>>2 | textValue
	if s.tuple(v) && claimName(v) {
		writeName(v, text[:min(len(text), mostText)], 0)
	}
}

// target is Target for the closure that f points to, whose first word is the address of its code.
//
//go:norace
func (s *Selector) target(f unsafe.Pointer) {
	if f == nil {
		return
	}
	pc := *(*uintptr)(f)
	if s.tuple(U(pc)) && claimName(U(pc)) {
		writeName(U(pc), symbol(pc), 0)
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

// method is Method for the table of methods of an interface. The value is the address of the method's entry in that, for one wrapper may serve the types
// T and *T, which are different targets.
//
//go:norace
func (s *Selector) method(itab unsafe.Pointer) {
	if itab == nil {
		return
	}
	entry := unsafe.Add(itab, itabFun+uintptr(s.Index)*pointerSize)
	v := U(uintptr(entry))
	if s.tuple(v) && claimName(v) {
		flags := U(ByValue)
		if *(*byte)(unsafe.Add(*(*unsafe.Pointer)(unsafe.Add(itab, itabType)), typeKind))&kindMask == kindPointer {
			flags = 0
		}
		writeName(v, symbol(*(*uintptr)(entry)), flags)
	}
}

// FedRate is the Rate of a Selector whose events are fed to compressors: feed.go.
const FedRate = 1<<32 - 1

// tuple makes an event of a value, and reports whether it may be the first of it here that is counted.
//
//go:norace
func (s *Selector) tuple(v U) bool {
	if s.Rate == 0 {
		if c := (*U)(loadp(s.last())); c != nil && *Word(c, ^U(0)) == v+1 { // the key stands before the count
			add64(c, 1)
			return false
		}
	} else if s.Rate != FedRate && !isMessage(Hashed(Fold(v), s.Key, s.Shift), s.Rate) {
		return false
	}
	return s.count(v)
}

// count counts or feeds a value, and reports whether it may be the first of it here.
//
//go:norace
func (s *Selector) count(v U) bool {
	if s.Rate == FedRate {
		Feed(s.Hash, v)
		return true
	}
	if loadp(&s.Hash.head) == nil {
		countUpTo(s.Hash, OtherValue+1, mostValues) // while there is room
	}
	c := countUpTo(s.Hash, v+1, mostValues)
	if c == nil {
		c = countUpTo(s.Hash, OtherValue+1, mostValues)
	}
	if c == nil {
		lose()
		return false
	}
	casp(s.last(), loadp(s.last()), unsafe.Pointer(c))
	return fetchAdd64(c, 1) == 0
}

// last returns where Last is. The table that it leads to is never freed.
func (s *Selector) last() *unsafe.Pointer { return (*unsafe.Pointer)(unsafe.Pointer(&s.Last)) }
