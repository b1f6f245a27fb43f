package copies

import (
	"strings"

	"golang.org/x/arch/x86/x86asm"

	"github.com/goprofinstr/goprofinstr/rewrite/machine"
)

// flagsUsed returns an instruction that uses flags which have been set before instruction k of a block, nil if there is none. No
// compiled code does so behind a call, and assembly may.
func flagsUsed(b *machine.Block, k int) *machine.Inst {
	type entry struct {
		b *machine.Block
		k int
	}
	left := map[entry]int{{b, k}: allFlags} // those that may be of before
	for work := []entry{{b, k}}; len(work) > 0; {
		e := work[len(work)-1]
		work = work[:len(work)-1]
		flags := left[e]
		for _, i := range e.b.Insts[e.k:] {
			if flags == 0 {
				break
			}
			if i.Vex {
				continue
			}
			if usesFlags(i)&flags != 0 {
				return i
			}
			flags &^= setsFlags(i)
		}
		for _, s := range e.b.Succs {
			next := entry{s, 0}
			if left[next]|flags != left[next] {
				left[next] |= flags
				work = append(work, next)
			}
		}
	}
	return nil
}

// The flags of the processor that conditions are about.
const (
	carry = 1 << iota
	parity
	zero
	sign
	overflow

	allFlags = 1<<iota - 1
)

// ofCondition has the flags of conditions, by half their numbers.
var ofCondition = [8]int{overflow, carry, zero, carry | zero, sign, parity, sign | overflow, sign | overflow | zero}

// usesFlags returns which flags make a difference to an instruction.
func usesFlags(i *machine.Inst) int {
	op := i.Op.String()
	switch {
	case i.Op == x86asm.JCXZ || i.Op == x86asm.JECXZ || i.Op == x86asm.JRCXZ:
		return 0
	case i.IsConditional() || i.IsMove() || strings.HasPrefix(op, "SET"):
		code := i.Code
		for code[0]&0xf0 == 0x40 || code[0] == 0x66 {
			code = code[1:]
		}
		if code[0] == 0x0f {
			code = code[1:]
		}
		return ofCondition[code[0]&15>>1]
	case strings.HasPrefix(op, "ADC") || strings.HasPrefix(op, "SBB") || strings.HasPrefix(op, "RC") || op == "CMC":
		return carry
	case strings.HasPrefix(op, "ADO"):
		return overflow
	case strings.HasPrefix(op, "PUSHF") || op == "LAHF":
		return allFlags
	}
	return 0
}

// setsFlags returns which flags are of no use in front of an instruction, as far as that does not use them.
func setsFlags(i *machine.Inst) int {
	switch i.Op {
	case x86asm.CMP, x86asm.TEST, x86asm.ADD, x86asm.ADC, x86asm.SUB, x86asm.SBB, x86asm.AND, x86asm.OR, x86asm.XOR, x86asm.NEG,
		x86asm.MUL, x86asm.IMUL, x86asm.DIV, x86asm.IDIV, x86asm.UCOMISD, x86asm.UCOMISS, x86asm.COMISD, x86asm.COMISS, x86asm.PTEST,
		x86asm.BSF, x86asm.BSR, x86asm.POPCNT, x86asm.LZCNT, x86asm.TZCNT, x86asm.XADD, x86asm.CMPXCHG,
		x86asm.CALL, x86asm.RET, x86asm.POPFQ, x86asm.SYSCALL, x86asm.UD2:
		return allFlags
	case x86asm.BT, x86asm.BTS, x86asm.BTR, x86asm.BTC:
		return allFlags &^ zero
	case x86asm.INC, x86asm.DEC:
		return allFlags &^ carry
	case x86asm.SHL, x86asm.SHR, x86asm.SAR:
		if n, ok := i.Args[1].(x86asm.Imm); ok && n != 0 {
			return allFlags
		}
	}
	return 0 // shifts by a register may leave all as they were
}
