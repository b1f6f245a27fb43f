package patch

import (
	"encoding/binary"
	"fmt"

	"github.com/goprofinstr/goprofinstr/rt/native"
)

// siteLength is the length of the no-op that can become a call. Sites may be longer, and have others behind it.
const siteLength = 7

// noop returns the no-op for a site whose stub is at an address. It returns false if no call that is hidden in a no-op leads
// there.
func noop(site, stub uint64) (code [siteLength]byte, ok bool) {
	code = [siteLength]byte{0x0f, 0, 0, 0, 0, 0x66, 0x90}
	binary.LittleEndian.PutUint32(code[1:], uint32(stub-(site+5)))
	return code, code[1] == 0x1f && code[2]&^7 == 0x80 && code[2] != 0x84 // NOPL disp32(reg), and no SIB byte
}

// stubsFor returns the addresses at which the stub of a site may begin, in a region of so many pages of 64 kB.
func stubsFor(site, region, pages uint64) (places []uint64) {
	for i := range pages {
		for _, modrm := range []uint64{0x80, 0x81, 0x82, 0x83, 0x85, 0x86, 0x87} {
			low := site + 5 + (modrm<<8 | 0x1f)
			places = append(places, region+i*stubPage+(low-region)%stubPage)
		}
	}
	return places
}

// An assembler writes the code of an image, which begins at base.
type assembler struct {
	base  uint64
	code  []byte
	taken []bool // of code
	end   int    // of what is taken
}

// room reports whether n bytes at an address are free.
func (a *assembler) room(address uint64, n int) bool {
	i := int(address - a.base)
	if i < 0 || i+n > len(a.code) {
		return false
	}
	for _, t := range a.taken[i : i+n] {
		if t {
			return false
		}
	}
	return true
}

func (a *assembler) put(address uint64, code []byte) {
	i := int(address - a.base)
	copy(a.code[i:], code)
	for j := range code {
		a.taken[i+j] = true
	}
	a.end = max(a.end, i+len(code))
}

// le32 is v as the displacement or immediate value of an instruction.
func le32(v uint64) []byte { return binary.LittleEndian.AppendUint32(nil, uint32(v)) }

// seq returns code that is given in parts.
func seq(parts ...any) (code []byte) {
	for _, p := range parts {
		switch p := p.(type) {
		case int:
			code = append(code, byte(p))
		case []byte:
			code = append(code, p...)
		default:
			panic(fmt.Sprintf("BUG: %T in code", p))
		}
	}
	return code
}

// offsets are what stubs have to know of package runtime: where a g has its thread, and where that has its cursor.
type offsets struct{ thread, cursor uint64 }

// stub returns the code of the stub of site k. It appends what is known of the path to the log of the thread, and changes no
// register and no flag. The log ends with a page that may not be written. The thread's cursor is the end of its log.
//
// When the log is full, package rt undoes what a stub has pushed, and finds what it would have noted in RAX and RSI. See
// GoprofinstrUndo.
func (s *site) stub(k int, o offsets) []byte {
	high, low := s.reg>>3&1, s.reg&7
	code := seq(0x50) // PUSHQ AX
	switch {
	case s.hash && s.reg >= 0:
		code = seq(code, 0x56, 0x48|high<<2, 0x89, 0xc6|low<<3) // PUSHQ SI; MOVQ reg, SI
	case s.hash:
		code = seq(code, 0x56, 0x48, 0xc7, 0xc6, le32(s.number)) // PUSHQ SI; MOVQ $number, SI
	}
	switch {
	case s.hash:
		code = seq(code, 0x48, 0xb8, le32(s.at|1), le32(uint64(k))) // MOVQ $(at | k<<32), AX
	case s.reg >= 0:
		code = seq(code, 0x48|high<<1, 0x8d, 0x04, 0x45|low<<3, le32(0)) // LEAQ (reg*2), AX
		code = seq(code, 0x48, 0x8d, 0x04, 0xc5, le32(s.at))             // LEAQ at(AX*8), AX
	default:
		code = seq(code, 0xb8, le32(s.at+s.number*siteSize)) // MOVL $at, AX
	}
	code = seq(code,
		0x51, 0x52, // PUSHQ CX; PUSHQ DX
		0x49, 0x8b, 0x8e, le32(o.thread), // MOVQ thread(R14), CX
		0x48, 0x8b, 0x91, le32(o.cursor), // MOVQ cursor(CX), DX
		0x48, 0x89, 0x02, // MOVQ AX, (DX)
	)
	if s.hash {
		code = seq(code, 0x48, 0x89, 0x72, 0x08) // MOVQ SI, 8(DX)
	} else {
		code = seq(code, 0x48, 0xc7, 0x42, 0x08, le32(uint64(k))) // MOVQ $k, 8(DX)
	}
	code = seq(code,
		0x48, 0x8d, 0x52, native.EndedSize, // LEAQ 16(DX), DX
		0x48, 0x89, 0x91, le32(o.cursor), // MOVQ DX, cursor(CX)
		0x5a, 0x59, // POPQ DX; POPQ CX
	)
	if s.hash {
		code = seq(code, 0x5e) // POPQ SI
	}
	return seq(code, 0x58, 0xc3) // POPQ AX; RET
}
