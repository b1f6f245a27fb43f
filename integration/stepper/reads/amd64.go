package reads

import (
	"strings"

	"golang.org/x/arch/x86/x86asm"

	"github.com/goprofinstr/goprofinstr/rewrite/machine"
)

// amd64 returns what an instruction reads for certain. What it may read is not among it: there a register may have what is of no
// use, as the result of a call that has none.
func amd64(i *machine.Inst) (list []Read) {
	if i.Vex {
		return nil
	}
	op := i.Op.String()
	same := i.Args[0] != nil && i.Args[0] == i.Args[1] && (i.Op == x86asm.XOR || i.Op == x86asm.SBB || i.Op == x86asm.SUB || op[0] == 'P')
	for k, a := range i.Args {
		switch a := a.(type) {
		case x86asm.Mem:
			if i.Op == x86asm.NOP {
				continue
			}
			for _, r := range []x86asm.Reg{a.Base, a.Index} {
				if r != 0 && r != x86asm.RIP {
					list = appendRead(list, r, ^uint64(0), false)
				}
			}
		case x86asm.Reg:
			if _, check := i.Args[0].(x86asm.Mem); check && i.Op == x86asm.TEST && k == 1 {
				continue // whether an address is nil: the outcome is of no use
			}
			if same || k == 0 && !readsFirst[i.Op] && len(operands(i)) > 1 || k == 0 && writesOnly(i) {
				continue
			}
			list = appendRead(list, a, vectorMask(i), strings.HasSuffix(op, "PS") || strings.HasSuffix(op, "PD"))
		}
	}
	for _, r := range implicit[i.Op] {
		list = appendRead(list, r, ^uint64(0), false)
	}
	if v, ok := i.Args[1].(x86asm.Imm); ok && v == 1 && i.Op == x86asm.XOR && len(list) == 1 {
		list[0].Mask = 1<<8 - 1 // the negation of a bool, as a call has returned it: of the rest of the register nobody knows
	}
	if from, ok := i.Args[1].(x86asm.Reg); ok && i.Op == x86asm.MOV && from >= x86asm.EAX && from <= x86asm.R15L && len(list) == 1 {
		list[0].Mask = 1<<8 - 1 // a bool is moved so, too; what else is moved is looked at where it is used
	}
	return list
}

func operands(i *machine.Inst) (list []x86asm.Arg) {
	for _, a := range i.Args {
		if a != nil {
			list = append(list, a)
		}
	}
	return list
}

// readsFirst has the operations that read their first operand, and another.
var readsFirst = map[x86asm.Op]bool{x86asm.ADD: true, x86asm.SUB: true, x86asm.AND: true, x86asm.OR: true, x86asm.XOR: true,
	x86asm.CMP: true, x86asm.TEST: true, x86asm.SHL: true, x86asm.SHR: true, x86asm.SAR: true, x86asm.ROL: true, x86asm.ADC: true,
	x86asm.SBB: true, x86asm.BT: true, x86asm.XCHG: true, x86asm.ADDSD: true, x86asm.SUBSD: true, x86asm.MULSD: true,
	x86asm.DIVSD: true, x86asm.ADDSS: true, x86asm.SUBSS: true, x86asm.MULSS: true, x86asm.DIVSS: true, x86asm.UCOMISD: true,
	x86asm.UCOMISS: true}

// writesOnly reports whether an instruction with one operand only writes it.
func writesOnly(i *machine.Inst) bool {
	return i.Op == x86asm.POP || strings.HasPrefix(i.Op.String(), "SET")
}

// implicit has registers that operations read which are no operands of theirs.
var implicit = map[x86asm.Op][]x86asm.Reg{
	x86asm.MUL: {x86asm.RAX}, x86asm.STOSQ: {x86asm.RAX, x86asm.RDI, x86asm.RCX}, x86asm.MOVSQ: {x86asm.RSI, x86asm.RDI, x86asm.RCX},
	x86asm.MOVSB: {x86asm.RSI, x86asm.RDI, x86asm.RCX}, x86asm.CDQ: {x86asm.EAX}, x86asm.CQO: {x86asm.RAX},
}

// vectorMask returns how much of the low half of a vector an instruction reads.
func vectorMask(i *machine.Inst) uint64 {
	switch op := i.Op.String(); {
	case strings.HasSuffix(op, "SS"), strings.HasPrefix(op, "CVTSS"), i.Op == x86asm.MOVD:
		return 1<<32 - 1
	}
	return ^uint64(0)
}

func appendRead(list []Read, r x86asm.Reg, mask uint64, wide bool) []Read {
	n := machine.Register(r) - 1
	switch {
	case r >= x86asm.X0 && r <= x86asm.X15:
		return append(list, Read{Register: int(r - x86asm.X0), Vector: true, Mask: mask, Wide: wide})
	case n < 0 || r >= x86asm.AH && r <= x86asm.BH:
		return list
	case r >= x86asm.AL && r <= x86asm.R15B:
		mask = 1<<8 - 1
	case r >= x86asm.AX && r <= x86asm.R15W:
		mask = 1<<16 - 1
	case r >= x86asm.EAX && r <= x86asm.R15L:
		mask = 1<<32 - 1
	default:
		mask = ^uint64(0)
	}
	return append(list, Read{Register: n, Mask: mask})
}

// flagsAMD64 returns which flags a condition is about, as bits of the flags register.
func flagsAMD64(i *machine.Inst) uint64 {
	const carry, parity, zero, sign, overflow = 1, 1 << 2, 1 << 6, 1 << 7, 1 << 11
	op := i.Op.String()
	switch {
	case i.Vex:
		return 0
	case i.Op == x86asm.ADC || i.Op == x86asm.SBB:
		return carry
	case !i.IsConditional() && !i.IsMove() && !strings.HasPrefix(op, "SET"):
		return 0
	}
	code := i.Code
	for code[0]&0xf0 == 0x40 || code[0] == 0x66 {
		code = code[1:]
	}
	if code[0] == 0x0f {
		code = code[1:]
	}
	return [8]uint64{overflow, carry, zero, carry | zero, sign, parity, sign | overflow, sign | overflow | zero}[code[0]&15>>1]
}
