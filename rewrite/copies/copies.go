package copies

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"golang.org/x/arch/x86/x86asm"

	"github.com/goprofinstr/goprofinstr/rewrite/machine"
	"github.com/goprofinstr/goprofinstr/rewrite/pathmap"
	rt "github.com/goprofinstr/goprofinstr/rt/copies"
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

	base      uint64
	code      []byte
	origins   []rt.Origin
	entrances []rt.Entrance // in no order
	returns   []rt.Entrance // where calls return to
	sites     []rt.Site
	ops       []rt.Op
	steps     []rt.Step
	looks     []rt.Look
	cases     []rt.Case
	ways      []rt.Way
	doubts    []Doubt

	entries map[uint64]uint64 // of copies, by address of the original
	calls   []fixup           // to functions
	lookups []lookup          // of indirect calls
	spans   []span            // in order of their copies
	enters  []uint32          // entrances and returns in the code, in order
	cold    coldFlags
}

// A fixup is a displacement of 4 bytes that leads to what is an address in the original, or the copy of that.
type fixup struct {
	at int // in code
	to uint64
}

// New returns a copier for copies that begin at an address.
func New(base uint64) *Copier { return &Copier{base: base, entries: make(map[uint64]uint64)} }

// Add makes the copy of a function. If it cannot, nothing changes, and the error says why.
func (c *Copier) Add(f *machine.Function, plans []Counted) error {
	if err := check(f); err != nil {
		return err
	}
	before := *c
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

// check returns why a function cannot be copied, nil if it can.
func check(f *machine.Function) error {
	if f.Hi > rt.AddressMask {
		return errors.New("its address is too high")
	}
	for _, i := range f.Insts {
		if i.Vex {
			continue
		}
		if i.Op == x86asm.CALL && keepsCaller(i.Callee) {
			return fmt.Errorf("it calls %s, which keeps the address that it returns to", i.Callee)
		}
		switch to, direct := i.Target(); {
		case direct && i.PCRel == 2: // processors do not agree on what it is
			return fmt.Errorf("it has an address of 16 bits at %#x", i.PC)
		case direct && to > rt.AddressMask:
			return fmt.Errorf("it leads to where no function can be at %#x", i.PC)
		case direct && i.IsConditional() && (to < f.Lo || to >= f.Hi):
			return fmt.Errorf("it jumps to another function at %#x", i.PC)
		}
		if i.Op != x86asm.CMP && i.Op != x86asm.TEST && i.Op != x86asm.SUB && i.Op != x86asm.ADD && i.Args[0] == x86asm.RSP &&
			(i.Op == x86asm.MOV || i.Op == x86asm.AND || i.Op == x86asm.XCHG) {
			return fmt.Errorf("it sets the stack pointer at %#x", i.PC)
		}
	}
	return checkFlags(f)
}

// checkFlags returns an error if flags are used behind a call where the copy tests whether the burst is over.
func checkFlags(f *machine.Function) error {
	for _, b := range f.Blocks {
		for k, i := range b.Insts {
			if i.Vex || i.Op != x86asm.CALL || i.Kind == machine.Panics {
				continue
			}
			if _, direct := i.Target(); direct && keepsFlags(i.Callee) {
				continue
			}
			if by := flagsUsed(b, k+1); by != nil {
				return fmt.Errorf("flags are of use behind the call at %#x", i.PC)
			}
		}
	}
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

// reach puts the displacement to an address, which ends the instruction.
func (c *Copier) reach(to uint64) error {
	d := int64(to) - int64(c.here()+4)
	if d != int64(int32(d)) {
		return fmt.Errorf("%#x is too far away", to)
	}
	c.put(uint32(d))
	return nil
}

// entry puts a displacement to a function, or to its copy.
func (c *Copier) entryOf(to uint64) {
	c.calls = append(c.calls, fixup{len(c.code), to})
	c.put(uint32(0))
}

// Copied are the copies of a program.
type Copied struct {
	Base      uint64
	Code      []byte
	Text      int // bytes of Code that are instructions: what follows is the table for indirect calls
	Origins   []rt.Origin
	Entrances []rt.Entrance
	Returns   []rt.Entrance
	Sites     []rt.Site
	Ops       []rt.Op
	Steps     []rt.Step
	Looks     []rt.Look
	Cases     []rt.Case
	Ways      []rt.Way
	Doubts    []Doubt
	Entries   map[uint64]uint64 // of copies, by address of the original
	Cold      []rt.ColdFunction // in order of their copies, and of their targets
	Flags     uint64            // address of a byte for each of them

	spans  []span
	enters []uint32
}

// Finish has calls lead to copies, and returns all.
func (c *Copier) Finish() (*Copied, error) {
	for _, f := range c.calls {
		to, ok := c.entries[f.to]
		if !ok {
			to = f.to
		}
		d := int64(to) - int64(c.base+uint64(f.at)+4)
		if d != int64(int32(d)) {
			return nil, fmt.Errorf("%#x is too far away from its copies", f.to)
		}
		binary.LittleEndian.PutUint32(c.code[f.at:], uint32(d))
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
		c.doubts, maps.Clone(c.entries), c.cold.functions, c.cold.base, c.spans, c.enters}, nil
}
