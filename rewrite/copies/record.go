package copies

import (
	"fmt"

	rt "github.com/goprofinstr/goprofinstr/rt/copies"
	"github.com/goprofinstr/goprofinstr/rt/pathlog"
)

const stackPointer = 4 // its number as a register

// The opcodes of MOVQ to memory and from there.
const (
	movTo   = 0x89
	movFrom = 0x8b
)

// A value is what a record of a look has: a register, by its number, or whether a condition holds.
type value struct{ register, condition int }

// note puts a record: see the package's documentation. At is what control comes to next. The frame is as in front of an
// instruction.
func (w *writer) note(at, frame uint64, ops []pathlog.Op) {
	if len(ops) > 0 {
		w.record(at, frame, ops, nil)
	}
}

// record puts a record, with a value or nil. The value is written first, since it is what has no room at the end of the log: then
// nothing of the record has been written.
func (w *writer) record(at, frame uint64, ops []pathlog.Op, v *value) {
	if w.busy[at] {
		w.failed = fmt.Errorf("nothing can be noted at %#x", at)
	}
	if w.depths == nil {
		w.depths = w.f.Depths()
	}
	c := w.Copier
	site := pathlog.Site{
		Depth: uint32(w.depths[frame]), First: uint32(len(c.ops)), N: uint32(len(ops)), Target: c.first, Targets: uint16(c.count),
	}
	if v != nil {
		site.Value = 1
	}
	site.Value |= uint32(c.cold.counted) << pathlog.FunctionShift
	if len(ops) == 1 {
		if step, ok := site.Alone(ops[0], uint32(len(c.steps))); ok {
			c.steps = append(c.steps, step)
		}
	}
	c.sites = append(c.sites, site)
	c.ops = append(c.ops, ops...)
	c.origin(at, c.arch.noting(v))
	c.arch.record(c, uint32(len(c.sites)-1), v)
}

func (amd64) noting(v *value) uint32 {
	if v != nil && v.condition < 0 && v.register == 0 {
		return rt.NotingCX
	}
	return rt.Noting
}

func (a amd64) record(c *Copier, site uint32, v *value) {
	by, size := 0, pathlog.RecordSize // the register that points into the log
	if a.noting(v) == rt.NotingCX {
		by = 1
	}
	if v != nil {
		size = 2 * pathlog.RecordSize
	}
	c.touch(movTo, by, saved)
	c.touch(movFrom, by, next)
	switch {
	case v == nil:
	case v.condition >= 0:
		c.put(0x48, 0xc7, 0x40|by, 0x08, uint32(0))
		c.put(0x0f, 0x90|v.condition, 0x40|by, 0x08)
	default:
		c.put(0x48|v.register>>3<<2, 0x89, 0x40|v.register&7<<3|by, 0x08)
	}
	c.put(0xc7, by, site)
	c.put(0x89, 0x60|by, 0x04)
	c.put(0x48, 0x8d, 0x40|by<<3|by, size)
	c.touch(movTo, by, next)
	c.touch(movFrom, by, saved)
}
