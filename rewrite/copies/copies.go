package copies

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/rewrite/machine"
	"github.com/goprofinstr/goprofinstr/rewrite/pathmap"
	rt "github.com/goprofinstr/goprofinstr/rt/copies"
	"github.com/goprofinstr/goprofinstr/rt/pathlog"
)

// A Counted is a plan whose paths are counted in a copy, and the number of its target. Each plan has a target of its own.
type Counted struct {
	Plan   *pathmap.Plan
	Target uint32
}

// A Doubt is a place in a plan where the path may not be known. How often it was not known is counted.
type Doubt struct {
	Target   uint32
	Ways     [][]int // edges of the source, where looks may leave several
	From, To int     // blocks between which there is no way, if there are no Ways
}

// A Copier makes copies. They lie in one region, behind all that the program maps.
type Copier struct {
	Derived Derived // to be counted, too
	Words   Words   // of the program's threads

	arch      arch
	base      uint64
	code      []byte
	origins   []rt.Origin
	entrances []rt.Entrance // in no order
	returns   []rt.Entrance // where calls return to
	sites     []pathlog.Site
	ops       []pathlog.Op
	steps     []pathlog.Step
	looks     []pathlog.Look
	cases     []pathlog.Case
	ways      []pathlog.Way
	doubts    []Doubt

	entries map[uint64]uint64 // of copies, by address of the original
	calls   []fixup           // to functions
	lookups []lookup          // of indirect calls
	spans   []span            // in order of their copies
	enters  []uint32          // entrances and returns in the code, in order
	cold    coldFlags
	relays  relays

	places []uint32 // room for those of a function

	first, count uint32 // the targets of the function whose copy is made
}

// A fixup is a displacement that leads to what is an address in the original, or the copy of that.
type fixup struct {
	at int // in code
	to uint64
}

// New returns a copier for copies of functions of a program, which begin at an address.
func New(im *machine.Image, base uint64) *Copier {
	a := archOf(im)
	return &Copier{arch: a, base: base, entries: make(map[uint64]uint64), relays: relays{reach: a.reach()}}
}

// Reserve makes room for the copies of functions with so many bytes of code. Lists that grow step by step take several times the
// memory.
func (c *Copier) Reserve(size uint64) {
	const perInstruction = 3 // bytes, where instructions are short
	n := int(size) / perInstruction
	c.code = slices.Grow(c.code, int(2*size))
	c.origins, c.entrances, c.enters = slices.Grow(c.origins, n), slices.Grow(c.entrances, n), slices.Grow(c.enters, n)
}

// targetsOf returns the first target of a function, and how many it has with all that are between.
func targetsOf(plans []Counted) (first, count uint32) {
	if len(plans) == 0 {
		return 0, 0
	}
	first, last := plans[0].Target, plans[0].Target
	for _, p := range plans {
		first, last = min(first, p.Target), max(last, p.Target)
	}
	return first, last - first + 1
}

// Add makes the copy of a function. If it cannot, nothing changes, and the error says why.
func (c *Copier) Add(f *machine.Function, plans []Counted) error {
	if err := c.arch.check(f); err != nil {
		return err
	}
	if err := c.relaysInTime(); err != nil {
		return err
	}
	before := *c
	if c.first, c.count = targetsOf(plans); c.count > math.MaxUint16 {
		return errors.New("it has too many calls that were inlined")
	}
	c.beginCold(f, plans)
	w := newWriter(c, f, plans)
	err := w.write()
	if err == nil {
		err = w.lead()
	}
	if err != nil {
		*c = before
		return err
	}
	c.entries[f.Lo] = w.entry
	c.spans = append(c.spans, span{f.Lo, f.Hi, int(w.entry - c.base), len(c.code)})
	c.endCold()
	return nil
}

// keepsCaller reports whether a function keeps its caller's address for who reads it when the caller is in the system.
func keepsCaller(callee string) bool {
	return strings.HasPrefix(callee, "runtime.entersyscall") || strings.HasPrefix(callee, "runtime.exitsyscall") ||
		strings.HasPrefix(callee, "runtime.reentersyscall")
}

func (c *Copier) here() uint64 { return c.base + uint64(len(c.code)) }

// origin says what code from here on stands for.
func (c *Copier) origin(at uint64, kind uint32) {
	p := rt.Origin{Copy: uint32(len(c.code)), At: uint32(at) | kind<<rt.KindShift}
	if n := len(c.origins); n > 0 && c.origins[n-1].Copy == p.Copy { // there was no code
		c.origins[n-1] = p
		return
	}
	c.origins = append(c.origins, p)
}

func (c *Copier) put(parts ...any) { c.code = Append(c.code, parts...) }

// Append appends to code: bytes, each an int or several in a slice, and numbers of 32 and 64 bits.
func Append(code []byte, parts ...any) []byte {
	for _, p := range parts {
		switch p := p.(type) {
		case int:
			code = append(code, byte(p))
		case []byte:
			code = append(code, p...)
		case uint32:
			code = binary.LittleEndian.AppendUint32(code, p)
		case uint64:
			code = binary.LittleEndian.AppendUint64(code, p)
		default:
			panic(fmt.Sprintf("BUG: %T in code", p))
		}
	}
	return code
}

// Copied are the copies of a program.
type Copied struct {
	Base      uint64
	Code      []byte
	Text      int // bytes of Code that are instructions: what follows is the table for indirect calls
	Origins   []rt.Origin
	Entrances []rt.Entrance
	Returns   []rt.Entrance
	Sites     []pathlog.Site
	Ops       []pathlog.Op
	Steps     []pathlog.Step
	Looks     []pathlog.Look
	Cases     []pathlog.Case
	Ways      []pathlog.Way
	Doubts    []Doubt
	Entries   map[uint64]uint64 // of copies, by address of the original
	Words     Words             // that the code is for
	Cold      []rt.ColdFunction // in order of their copies, and of their targets
	Flags     uint64            // address of a byte for each of them
	Counts    uint64            // address of a word for each of them: entries, once it has fallen

	spans  []span
	enters []uint32
	arch   arch
}

// Finish has calls lead to copies, and returns all.
func (c *Copier) Finish() (*Copied, error) {
	if err := c.lastRelays(); err != nil {
		return nil, err
	}
	text := len(c.code)
	if err := c.putTable(); err != nil {
		return nil, err
	}
	if len(c.code) > math.MaxInt32 {
		return nil, errors.New("copies are too large")
	}
	for _, list := range [][]rt.Entrance{c.entrances, c.returns} {
		slices.SortFunc(list, func(a, b rt.Entrance) int { return int(a.At) - int(b.At) })
	}
	return &Copied{c.base, c.code, text, c.origins, c.entrances, c.returns, c.sites, c.ops, c.steps, c.looks, c.cases, c.ways,
		c.doubts, maps.Clone(c.entries), c.Words, c.cold.functions, c.cold.base, c.cold.counts, c.spans, c.enters, c.arch}, nil
}
