package reads

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/rewrite/machine"
)

// TestARM64 has instructions of all groups, as the assembler makes them, and what they read.
func TestARM64(t *testing.T) {
	const all, half = "ffffffffffffffff", "ffffffff"
	for _, c := range []struct {
		word        uint32
		text, reads string
		flags       uint64
	}{
		{0x91002043, "add x3, x2, #8", "x2:" + all, 0},
		{0xf10043ff, "cmp sp, #16", "x31:" + all, 0},
		{0x71000c1f, "cmp w0, #3", "x0:" + half, 0},
		{0x92400c41, "and x1, x2, #15", "x2:" + all, 0},
		{0xd2800000, "mov x0, #0", "", 0},
		{0xf2a00020, "movk x0, #1, lsl 16", "x0:ffffffff0000ffff", 0},
		{0x53001c41, "uxtb w1, w2", "x2:ff", 0},
		{0xd344fc41, "lsr x1, x2, #4", "x2:fffffffffffffff0", 0},
		{0xd37cec41, "lsl x1, x2, #4", "x2:fffffffffffffff", 0},
		{0xb3401c41, "bfxil x1, x2, #0, #8", "x2:ff x1:ffffffffffffff00", 0},
		{0x90000000, "adrp x0", "", 0},
		{0x34000041, "cbz w1", "x1:" + half, 0},
		{0x37180041, "tbnz w1, #3", "x1:8", 0},
		{0xd65f03c0, "ret", "x30:" + all, 0},
		{0xd63f0340, "blr x26", "x26:" + all, 0},
		{0x54000041, "b.ne", "", 1 << 30},
		{0x5400004d, "b.le", "", 1<<31 | 1<<30 | 1<<28},
		{0x39000041, "strb w1, [x2]", "x2:" + all + " x1:ff", 0},
		{0xf9400041, "ldr x1, [x2]", "x2:" + all, 0},
		{0xf81f0ffe, "str x30, [sp, #-16]!", "x31:" + all + " x30:" + all, 0},
		{0xf8637841, "ldr x1, [x2, x3, lsl #3]", "x2:" + all + " x3:" + all, 0},
		{0xb8235841, "str w1, [x2, w3, uxtw #2]", "x2:" + all + " x3:" + half + " x1:" + half, 0},
		{0xa90007e0, "stp x0, x1, [sp]", "x31:" + all + " x0:" + all + " x1:" + all, 0},
		{0xad000400, "stp q0, q1, [x0]", "x0:" + all + " q0:" + all + " q1:" + all, 0},
		{0xfd000041, "str d1, [x2]", "x2:" + all + " v1:" + all, 0},
		{0xf8e10041, "ldaddal x1, x1, [x2]", "x2:" + all + " x1:" + all, 0},
		{0x089ffc41, "stlrb w1, [x2]", "x2:" + all + " x1:ff", 0},
		{0xc85ffc41, "ldaxr x1, [x2]", "x2:" + all, 0},
		{0x8b030c41, "add x1, x2, x3, lsl #3", "x2:" + all + " x3:1fffffffffffffff", 0},
		{0x8b2363e1, "add x1, sp, x3", "x31:" + all + " x3:" + all, 0},
		{0xca020041, "eor x1, x2, x2", "", 0},
		{0xaa0203e1, "mov x1, x2", "x2:ff", 0},
		{0x1ac32041, "lsl w1, w2, w3", "x2:" + half + " x3:1f", 0},
		{0x9ac30841, "udiv x1, x2, x3", "x2:" + all + " x3:" + all, 0},
		{0x9b031041, "madd x1, x2, x3, x4", "x2:" + all + " x3:" + all + " x4:" + all, 0},
		{0x9ba37c41, "umull x1, w2, w3", "x2:" + half + " x3:" + half, 0},
		{0xdac01041, "clz x1, x2", "x2:" + all, 0},
		{0x9a9f17e1, "cset x1, eq", "", 1 << 30},
		{0x9a830041, "csel x1, x2, x3, eq", "", 1 << 30},
		{0xfa41a840, "ccmp x2, #1, #0, ge", "", 1<<31 | 1<<28},
		{0x9a030041, "adc x1, x2, x3", "x2:" + all + " x3:" + all, 1 << 29},
		{0x1e632841, "fadd d1, d2, d3", "v2:" + all + " v3:" + all, 0},
		{0x1e232040, "fcmp s2, s3", "v2:" + half + " v3:" + half, 0},
		{0x1e602048, "fcmp d2, #0.0", "v2:" + all, 0},
		{0x9e620041, "scvtf d1, x2", "x2:" + all, 0},
		{0x9e780041, "fcvtzs x1, d2", "v2:" + all, 0},
		{0x1f431041, "fmadd d1, d2, d3, d4", "v2:" + all + " v3:" + all + " v4:" + all, 0},
		{0x1e604041, "fmov d1, d2", "v2:" + all, 0},
		{0x1e630c41, "fcsel d1, d2, d3, eq", "", 1 << 30},
	} {
		i := &machine.Inst{Code: binary.LittleEndian.AppendUint32(nil, c.word)}
		var list []string
		for _, r := range Arch("arm64").Of(i) {
			kind := "x"
			switch {
			case r.Wide:
				kind = "q"
			case r.Vector:
				kind = "v"
			}
			list = append(list, fmt.Sprintf("%s%d:%x", kind, r.Register, r.Mask))
		}
		if is := strings.Join(list, " "); is != c.reads {
			t.Errorf("%s reads %s, and not %s", c.text, is, c.reads)
		}
		if is := Arch("arm64").Flags(i); is != c.flags {
			t.Errorf("%s: flags %x, and not %x", c.text, is, c.flags)
		}
	}
}
