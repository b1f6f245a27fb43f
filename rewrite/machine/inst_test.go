package machine

import "testing"

func TestVexLength(t *testing.T) {
	for _, code := range [][]byte{
		{0xc5, 0xf8, 0x77},                         // VZEROUPPER
		{0xc4, 0xe2, 0xf1, 0xb9, 0xc2},             // VFMADD231SD X2, X1, X0
		{0xc4, 0xe2, 0xf1, 0xb9, 0x44, 0x24, 0x08}, // of 8(SP)
		{0xc5, 0xfe, 0x6f, 0x05, 1, 2, 3, 4},       // VMOVDQU x(SB), Y0
		{0xc4, 0xe3, 0xfb, 0xf0, 0xc0, 0x11},       // RORXQ $17, AX, AX
		{0xc5, 0xf9, 0x70, 0xc1, 0x1b},             // VPSHUFD $27, X1, X0
		{0xc5, 0xf9, 0x73, 0xd8, 0x08},             // VPSRLDQ $8, X0, X0
		{0xc5, 0xf8, 0xc6, 0x44, 0x24, 0x08, 0x11}, // VSHUFPS $17, 8(SP), X0, X0
		{0xc5, 0xfe, 0x6f, 0x84, 0x24, 0, 1, 0, 0}, // VMOVDQU 256(SP), Y0
		{0xc5, 0xfe, 0x6f, 0x04, 0x85, 0, 1, 0, 0}, // VMOVDQU 256(AX*4), Y0
	} {
		padded := append(append([]byte(nil), code...), 0x90, 0x90, 0x90, 0x90)
		if _, vex, ok := decode(padded); !vex || !ok {
			t.Errorf("%x: not decoded", code)
		}
		if got := vexLength(padded); got != len(code) {
			t.Errorf("%x has %d bytes, not %d", code, len(code), got)
		}
	}
}

// TestAsksAgain has a jump behind two blocks, which end with a compare each. No-ops are between, as the compiler aligns code.
func TestAsksAgain(t *testing.T) {
	block := func(preds []*Block, codes ...[]byte) *Block {
		b := &Block{Preds: preds}
		for _, code := range codes {
			i := new(Inst)
			if !(amd64{}).decode(i, b.Insts, code, 0x1000) {
				t.Fatalf("%x is no instruction", code)
			}
			b.Insts = append(b.Insts, i)
		}
		return b
	}
	jump, nop := []byte{0xeb, 0x10}, []byte{0x66, 0x0f, 0x1f, 0x44, 0, 0}
	ten, eleven := []byte{0x80, 0xf9, 0x0a}, []byte{0x80, 0xf9, 0x0b} // CMPB CL, $10 and $11
	for _, test := range []struct {
		second [][]byte
		want   bool
	}{
		{[][]byte{ten}, true},
		{[][]byte{eleven}, false},
		{[][]byte{ten, {0xff, 0xc1}, jump}, false}, // INCL CX
		{[][]byte{nop, jump}, false},
	} {
		preds := []*Block{block(nil, ten, nop, jump), block(nil, test.second...)}
		b := block(preds, nop, []byte{0x75, 0x10})
		b.Last().Kind = Branch
		if again := b.AsksAgain(); (again != nil) != test.want || again != nil && again.Test.Compare.Const != 10 {
			t.Errorf("%x in front: %v", test.second, again)
		}
	}
}
