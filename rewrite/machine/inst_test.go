package machine

import "testing"

func TestVexLength(t *testing.T) {
	for _, code := range [][]byte{
		{0xc5, 0xf8, 0x77},                         // VZEROUPPER
		{0xc4, 0xe2, 0xf1, 0xb9, 0xc2},             // VFMADD231SD X2, X1, X0
		{0xc4, 0xe2, 0xf1, 0xb9, 0x44, 0x24, 0x08}, // of 8(SP)
		{0xc5, 0xfe, 0x6f, 0x05, 1, 2, 3, 4},       // VMOVDQU x(SB), Y0
		{0xc4, 0xe3, 0xfb, 0xf0, 0xc0, 0x11},       // RORXQ $17, AX, AX
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
