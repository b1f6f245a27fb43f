package patch

import (
	"testing"

	"golang.org/x/arch/x86/x86asm"
)

// TestWrite has a site of each length, with other code before and behind: that stays, and the rest is no-ops.
func TestWrite(t *testing.T) {
	w := new(writer).bytes(0x53).rel(storeAX, sitesAt).rel(storeImm, sitesAt+16, 5, 0, 0, 0).rel(storeOne, sitesAt+oneOffset, 1).bytes(0x5b)
	p := w.program()
	sites, _ := p.find([]markers{testMarkers})
	im := layOut(sites, offsets{0x30, 0x48}, 0x200000, 1)
	if len(sites) != 3 || im == nil {
		t.Fatalf("sites %+v, image %v", sites, im)
	}
	before := decodeAll(t, w.code)
	p.write(sites, im)
	var noops []int // their lengths
	for _, inst := range decodeAll(t, p.data[:len(w.code)]) {
		switch inst.Op {
		case x86asm.NOP:
			noops = append(noops, inst.Len)
		case x86asm.PUSH, x86asm.POP:
		default:
			t.Errorf("%v in a patched function", inst)
		}
	}
	if len(before) != 5 || len(noops) != 4 || noops[0] != 7 || noops[1] != 7 || noops[2] != 4 || noops[3] != 7 {
		t.Errorf("no-ops of %v bytes for %v", noops, before)
	}
	if p.data[0] != 0x53 || p.data[len(w.code)-1] != 0x5b {
		t.Error("what is around the sites has changed")
	}
}

// TestImageLists says of each site where it is and what it stands for.
func TestImageLists(t *testing.T) {
	sites := []site{
		{address: 0x401000, length: 7, at: 0x600000, reg: 3},
		{address: 0x401100, length: 11, at: 0x600000, reg: -1, number: 5},
		{address: 0x401200, length: 7, at: 0x600010, reg: -1},
		{address: 0x401300, length: 7, at: 0x700008, reg: 2, hash: true},
	}
	im := layOut(sites, offsets{0x30, 0x48}, 0x200000, 1)
	want := []struct{ address, means uint32 }{{0x401000, 0x600002}, {0x401100, 0x600050}, {0x401200, 0x600010}, {0x401300, 0x70000b}}
	word := func(b []byte, i int) uint32 {
		return uint32(b[4*i]) | uint32(b[4*i+1])<<8 | uint32(b[4*i+2])<<16 | uint32(b[4*i+3])<<24
	}
	if len(im.list) != 4*len(want) || len(im.means) != 4*len(want) {
		t.Fatalf("lists of %d and %d bytes", len(im.list), len(im.means))
	}
	for i, w := range want {
		if address, means := word(im.list, i), word(im.means, i); address != w.address || means != w.means {
			t.Errorf("site %d: %#x that stands for %#x, want %#x and %#x", i, address, means, w.address, w.means)
		}
	}
}
