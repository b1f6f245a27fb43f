package copies

import (
	"testing"

	"golang.org/x/arch/x86/x86asm"

	"github.com/goprofinstr/goprofinstr/rewrite/machine"
)

// TestSetsFlags has instructions that leave some flags as they were. (Intel's manual, volume 1, appendix A.)
func TestSetsFlags(t *testing.T) {
	shift := func(by x86asm.Arg) *machine.Inst {
		return &machine.Inst{Op: x86asm.SHL, Args: [4]x86asm.Arg{x86asm.RAX, by}}
	}
	for _, test := range []struct {
		inst *machine.Inst
		want int
	}{
		{&machine.Inst{Op: x86asm.CMP}, allFlags},
		{&machine.Inst{Op: x86asm.BT}, allFlags &^ zero},
		{&machine.Inst{Op: x86asm.INC}, allFlags &^ carry},
		{&machine.Inst{Op: x86asm.LEA}, 0},
		{shift(x86asm.Imm(3)), allFlags},
		{shift(x86asm.CL), 0},
	} {
		if got := setsFlags(test.inst); got != test.want {
			t.Errorf("%v: %b, want %b", test.inst.Op, got, test.want)
		}
	}
}
