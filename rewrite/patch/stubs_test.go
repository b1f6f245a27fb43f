package patch

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"golang.org/x/arch/x86/x86asm"

	"github.com/goprofinstr/goprofinstr/rt/native"
)

// TestNoop decodes the no-ops of random sites for all stubs that they can lead to, armed and not.
func TestNoop(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const region, pages = 0x200000, 8
	for range 500 {
		site := 0x400000 + random.Uint64N(1<<28)
		places := stubsFor(site, region, pages)
		if len(places) != 7*pages {
			t.Fatalf("%d places for a stub, want %d", len(places), 7*pages)
		}
		for _, stub := range places {
			code, ok := noop(site, stub)
			if !ok || stub < region || stub >= region+pages*stubPage {
				t.Fatalf("site %#x: no no-op for a stub at %#x, % x", site, stub, code)
			}
			checkNoop(t, site, stub, code)
			if other, ok := noop(site, stub+random.Uint64N(255)+1); ok {
				t.Fatalf("site %#x: % x for a stub that is not one of its places", site, other)
			}
		}
	}
}

// checkNoop decodes a no-op, and the call that it becomes.
func checkNoop(t *testing.T, site, stub uint64, code [siteLength]byte) {
	t.Helper()
	if inst, err := x86asm.Decode(code[:], 64); err != nil || inst.Op != x86asm.NOP || inst.Len != siteLength {
		t.Fatalf("site %#x: % x is %v of %d bytes (%v), want a no-op of %d", site, code, inst, inst.Len, err, siteLength)
	}
	code[0] = 0xe8
	inst, err := x86asm.Decode(code[:], 64)
	if err != nil || inst.Op != x86asm.CALL || inst.Len != 5 {
		t.Fatalf("site %#x: % x is %v (%v), want a call", site, code, inst, err)
	}
	if to := site + 5 + uint64(int64(inst.Args[0].(x86asm.Rel))); to != stub {
		t.Fatalf("site %#x: a call of %#x, want %#x", site, to, stub)
	}
	if rest := code[inst.Len:]; !bytes.Equal(rest, []byte{0x66, 0x90}) { // XCHGW AX, AX, which is a no-op to every processor
		t.Fatalf("site %#x: % x behind the call", site, rest)
	}
}

// TestNoopNot has stubs to which no no-op leads.
func TestNoopNot(t *testing.T) {
	const site, modrm = 0x10401000, 8
	const good = uint64(site + 5 - 1<<20&^0xffff + 0x1f + 0x80<<modrm)
	if code, ok := noop(site, good); !ok {
		t.Fatalf("% x is no no-op", code)
	}
	for name, stub := range map[string]uint64{
		"another opcode":         good + 1,
		"no displacement":        good - 0x80<<modrm,
		"a SIB byte":             good + 4<<modrm,
		"a register as operand":  good + 0x40<<modrm,
		"an extension of opcode": good + 0x08<<modrm,
	} {
		if code, ok := noop(site, stub); ok {
			t.Errorf("%s: % x passes for a no-op", name, code)
		}
	}
}

// TestLayOut has stubs of many sites that lie close together: none may overlap, and each must be where its call leads.
func TestLayOut(t *testing.T) {
	var sites []site
	for i := range 2000 {
		s := site{address: 0x401000 + uint64(i)*9, length: siteLength, at: 0x500000, reg: i%17 - 1, hash: i%3 == 0}
		sites = append(sites, s)
	}
	const region, pages = 0x200000, 8
	o := offsets{0x30, 0x48}
	im := layOut(sites, o, region, pages)
	if im == nil {
		t.Fatal("no room for the stubs")
	}
	taken := make([]bool, len(im.code))
	for k, s := range sites {
		stub := s.address + 5 + uint64(int64(displacement(im.noops[s.address])))
		want := s.stub(k, o)
		i := int(stub - region)
		if !bytes.Equal(im.code[i:i+len(want)], want) {
			t.Fatalf("site %d: its call does not lead to its stub", k)
		}
		for j := range want {
			if taken[i+j] {
				t.Fatalf("the stub of site %d overlaps with another", k)
			}
			taken[i+j] = true
		}
	}
	if layOut(sites, o, region, 1) != nil {
		t.Error("2000 stubs of 50 bytes or more fit into 64 kB")
	}
}

func displacement(noop [siteLength]byte) int32 {
	return int32(noop[1]) | int32(noop[2])<<8 | int32(noop[3])<<16 | int32(noop[4])<<24
}

// TestStub decodes stubs: what they push they pop, in the reverse order, and they note the path and the site.
func TestStub(t *testing.T) {
	for _, hash := range []bool{false, true} {
		for reg := -1; reg < 16; reg++ {
			s := site{address: 0x401000, length: siteLength, at: 0x500000, reg: reg, hash: hash, number: 3}
			insts := decodeAll(t, s.stub(77, offsets{0x30, 0x48}))
			code := [16]byte(s.stub(77, offsets{0x30, 0x48}))
			register, number := native.StubPath(&code, hash)
			if register != reg || hash && reg < 0 && number != 3 {
				t.Errorf("the stub of %+v is said to have register %d, number %d", s, register, number)
			}
			if code[0] != native.StubBegin {
				t.Errorf("%+v begins with %#x", s, code[0])
			}
			if insts[0].Op != x86asm.PUSH || insts[0].Args[0] != x86asm.RAX {
				t.Errorf("%+v begins with %v", s, insts[0])
			}
			if last := insts[len(insts)-1]; last.Op != x86asm.RET {
				t.Errorf("%+v ends with %v", s, last)
			}
			checkStack(t, insts)
			if !notes(insts, hash, 77) {
				t.Errorf("%+v does not note its number: %v", s, insts)
			}
		}
	}
}

func decodeAll(t *testing.T, code []byte) (insts []x86asm.Inst) {
	t.Helper()
	for len(code) > 0 {
		inst, err := x86asm.Decode(code, 64)
		if err != nil {
			t.Fatalf("% x: %v", code, err)
		}
		insts, code = append(insts, inst), code[inst.Len:]
	}
	return insts
}

// checkStack makes sure that registers are restored.
func checkStack(t *testing.T, insts []x86asm.Inst) {
	t.Helper()
	var stack []x86asm.Arg
	for _, inst := range insts {
		switch inst.Op {
		case x86asm.PUSH:
			stack = append(stack, inst.Args[0])
		case x86asm.POP:
			if len(stack) == 0 || stack[len(stack)-1] != inst.Args[0] {
				t.Fatalf("%v where the stack has %v", inst, stack)
			}
			stack = stack[:len(stack)-1]
		case x86asm.MOV, x86asm.MOVZX, x86asm.LEA, x86asm.RET: // which change no flags
		default:
			t.Fatalf("%v in a stub", inst)
		}
	}
	if len(stack) > 0 {
		t.Fatalf("%v stay on the stack", stack)
	}
}

// notes reports whether a stub stores the number of its site. The number is behind the address of an estimate, or in the upper
// half of that of a hash table.
func notes(insts []x86asm.Inst, hash bool, number int64) bool {
	for _, inst := range insts {
		imm, ok := inst.Args[1].(x86asm.Imm)
		if !ok {
			continue
		}
		if hash && inst.Args[0] == x86asm.RAX && int64(imm)>>32 == number && imm&1 != 0 {
			return true
		}
		if to, ok := inst.Args[0].(x86asm.Mem); ok && !hash && to.Base == x86asm.RDX && to.Disp == 8 && int64(imm) == number {
			return true
		}
	}
	return false
}
