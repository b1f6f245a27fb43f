package event

import (
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/rt/strata"
	"github.com/goprofinstr/goprofinstr/rt/sys"
)

// A Selector makes events of what happens at a place in the program, with a value: Sastry, Bodík & Smith, "Rapid profiling via
// stratified sampling", section 2. The values are counted in a Hash, all of them or, if Rate is not 0, those of messages
// (package strata). Rewritten code declares
//
//	var K = [...]event.Selector{{&H[3], key, shift, rate, 2, mode, 0, 0, 0}, …}
//
// which the linker initialises, so that events may come before the package's own initialisation. Calls of interface methods and
// function values become
//
//	event.Method(x, &K[0]).M(args)        // in place of x.M(args)
//	event.Target(f, &K[1])(args)          // in place of f(args)
//
// where x and f are evaluated once, when they would be without, and nil panics where it did (elected.go).
type Selector struct {
	Hash       *rt.Hash
	Key, Shift U // see Hashed
	Rate       uint32
	Index      uint32 // of the method in the interface's table of methods
	Mode       uint32
	Last       uintptr // where the count of the value is that was counted last, if all are: most places see the same one again and again
	// Of calls, as elected.go has it: the first word of the elected target, 0 if there is none yet, and a table of others.
	Elected, Recent uintptr
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

// Leave is Trips as an expression. It does nothing if n is 0, which says that control was not in the loop, and makes it 0. It
// returns 0.
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
	v := sys.Mix(h)>>2 | textValue
	if s.tuple(v) && claimName(v) {
		writeName(v, text[:min(len(text), mostText)], 0)
	}
}

// FedRate is the Rate of a Selector whose events are fed to compressors: see package strata.
const FedRate = 1<<32 - 1

// tuple makes an event of a value, and reports whether it may be the first of it here that is counted.
//
//go:norace
func (s *Selector) tuple(v U) bool {
	if s.Rate == 0 {
		if c := (*U)(sys.LoadP(pointerIn(&s.Last))); c != nil && *sys.Word(c, ^U(0)) == v+1 { // the key stands before the count
			if s.Mode&Atomic != 0 {
				sys.Add64(c, 1)
			} else {
				*c++
			}
			return false
		}
	} else if s.Rate != FedRate && !strata.IsMessage(strata.Hashed(strata.Fold(v), s.Key, s.Shift), s.Rate) {
		return false
	}
	return s.count(v)
}

// count counts or feeds a value, and reports whether it may be the first of it here.
//
//go:norace
func (s *Selector) count(v U) bool {
	if s.Rate == FedRate {
		strata.Feed(s.Hash, v)
		return true
	}
	c, _ := s.place(v)
	if c == nil {
		return false
	}
	sys.CASP(pointerIn(&s.Last), sys.LoadP(pointerIn(&s.Last)), unsafe.Pointer(c))
	return sys.FetchAdd64(c, 1) == 0
}

// place returns where a value is counted; own tells that it is not that of all for which there was no room. It is nil if not
// even that is there.
//
//go:norace
func (s *Selector) place(v U) (c *U, own bool) {
	if rt.Empty(s.Hash) {
		rt.CounterUpTo(s.Hash, OtherValue+1, mostValues) // while there is room
	}
	if c = rt.CounterUpTo(s.Hash, v+1, mostValues); c != nil {
		return c, true
	}
	if c = rt.CounterUpTo(s.Hash, OtherValue+1, mostValues); c == nil {
		runfile.Lose()
	}
	return c, false
}
