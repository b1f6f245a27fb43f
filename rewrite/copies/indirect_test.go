package copies

import (
	"encoding/binary"
	"math/bits"

	"golang.org/x/arch/x86/x86asm"

	"github.com/goprofinstr/goprofinstr/rewrite/machine"
)

// indirect executes the copy of an indirect call or jump, for several values of the register that it goes through. It has to
// come to the copy of a function, and to any other address as it is. If it is left before its end, the original comes to the
// same.
func (k *checker) indirect(code []byte, o *machine.Inst) {
	through := o.Args[0].(x86asm.Reg)
	for _, to := range k.callees() {
		want := to
		if copied, ok := k.c.Entries[to]; ok {
			want = copied
		}
		m := emulator{checker: k, op: o.Op}
		for r := range m.regs {
			m.regs[r] = 0x1111_1111_1111_1111 * uint64(r)
		}
		before := m.regs
		before[through-x86asm.RAX] = to
		m.regs = before
		rest := code
		for len(rest) > 0 {
			if at := m.regs[through-x86asm.RAX]; at != to && at != want {
				k.Errorf("%v, left with %#x in place of %#x", o.Text(), at, to)
			}
			n := m.step(rest)
			if k.Failed() {
				return
			}
			rest = rest[n:]
		}
		if m.to != want {
			k.Errorf("%v of %#x comes to %#x, not %#x", o.Text(), to, m.to, want)
		}
		for r, v := range m.regs {
			if v != before[r] && r != callee && r != index {
				k.Errorf("%v changes register %d", o.Text(), r)
			}
		}
	}
}

// callees returns addresses that may be called.
func (k *checker) callees() []uint64 {
	if k.called == nil {
		k.called = []uint64{0, 1, k.c.Base, ^uint64(0), 1 << 63, 1 << 32}
		for to := range k.c.Entries {
			if len(k.called) > 40 {
				break
			}
			k.called = append(k.called, to, to+1, to+16, to+32, to-32, to+1<<36)
		}
	}
	return k.called
}

// An emulator executes instructions of an indirect call.
type emulator struct {
	*checker
	op    x86asm.Op // that the code ends with
	regs  [16]uint64
	below bool   // as the last compare has it
	zero  bool   // as the last test has it
	to    uint64 // where the call leads
}

func (m *emulator) value(a x86asm.Arg) uint64 {
	switch a := a.(type) {
	case x86asm.Reg:
		if a >= x86asm.EAX && a <= x86asm.R15L {
			return m.regs[a-x86asm.EAX] & (1<<32 - 1)
		}
		return m.regs[a-x86asm.RAX]
	case x86asm.Imm:
		return uint64(a)
	case x86asm.Mem:
		return uint64(int64(int32(a.Disp))) + m.reg(a.Base) + uint64(a.Scale)*m.reg(a.Index) // x86asm does not extend signs
	}
	m.Errorf("BUG: %v", a)
	return 0
}

func (m *emulator) reg(r x86asm.Reg) uint64 {
	if r == 0 {
		return 0
	}
	return m.regs[r-x86asm.RAX]
}

// step executes an instruction, and returns how many bytes are left behind by it.
func (m *emulator) step(code []byte) int {
	i, err := x86asm.Decode(code, 64)
	if err != nil {
		m.Errorf("% x: %v", code, err)
		return 0
	}
	var to int
	if r, ok := i.Args[0].(x86asm.Reg); ok {
		to = machine.Register(r) - 1
	}
	switch i.Op {
	case x86asm.MOV:
		v := m.value(i.Args[1])
		if _, ok := i.Args[1].(x86asm.Mem); ok {
			offset := v - m.c.Base
			if offset+4 > uint64(len(m.c.Code)) {
				m.Errorf("%v reads at %#x", i, v)
				return 0
			}
			v = uint64(binary.LittleEndian.Uint32(m.c.Code[offset:]))
		}
		m.regs[to] = v
	case x86asm.LEA:
		m.regs[to] = m.value(i.Args[1])
	case x86asm.ROR:
		m.regs[to] = bits.RotateLeft64(m.regs[to], -int(i.Args[1].(x86asm.Imm)))
	case x86asm.CMP:
		m.below = m.regs[to] < m.value(i.Args[1])
	case x86asm.TEST:
		m.zero = m.value(i.Args[0])&m.value(i.Args[1]) == 0
	case x86asm.CMOVNE:
		if !m.zero {
			m.regs[to] = m.value(i.Args[1])
		}
	case x86asm.JAE:
		if !m.below {
			return i.Len + int(i.Args[0].(x86asm.Rel))
		}
	case m.op:
		if i.Len != len(code) {
			m.Errorf("%v is not the end", i)
		}
		m.to = m.regs[to]
	default:
		m.Errorf("%v in the code of an indirect call", i)
	}
	return i.Len
}
