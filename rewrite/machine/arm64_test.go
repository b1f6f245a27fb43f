package machine

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/arch/arm64/arm64asm"
)

// words decodes instructions at an address, one behind the other.
func words(t *testing.T, list ...uint32) (insts []*Inst) {
	t.Helper()
	for k, w := range list {
		i := new(Inst)
		ok := arm64{}.decode(i, insts, []byte{byte(w), byte(w >> 8), byte(w >> 16), byte(w >> 24)}, 0x10000+4*uint64(k))
		if !ok {
			t.Fatalf("%#x is no instruction", w)
		}
		insts = append(insts, i)
	}
	return insts
}

// TestCompareARM64 decodes compares, with the constants that are in instructions before.
func TestCompareARM64(t *testing.T) {
	for _, test := range []struct {
		name string
		code []uint32
		want Compare
	}{
		{"CMP $5, R0", []uint32{0xf100141f}, Compare{Register: 0, Bits: 64, Const: 5, IsConst: true}},
		{"CMPW $4096, R3", []uint32{0x7140047f}, Compare{Register: 3, Bits: 32, Const: 4096, IsConst: true}},
		{"CMN $1, R2", []uint32{0xb100045f}, Compare{Register: 2, Bits: 64, Const: -1, IsConst: true}},
		{"CMP R1, R2", []uint32{0xeb01005f}, Compare{Register: 2, Bits: 64}},
		{"CMP R16, RSP", []uint32{0xeb3063ff}, Compare{Register: -1, Bits: 64}},
		{"MOVD $0x12345, R27; CMP R27, R0", []uint32{0xd28468bb, 0xf2a0003b, 0xeb1b001f},
			Compare{Register: 0, Bits: 64, Const: 0x12345, IsConst: true}},
		{"MOVD $-2, R27; CMPW R27, R0", []uint32{0x1280003b, 0x6b1b001f},
			Compare{Register: 0, Bits: 32, Const: -2, IsConst: true}},
		{"MOVD $65535, R6; CMP R6, R5", []uint32{0xd29fffe6, 0xeb0600bf}, Compare{Register: 5, Bits: 64}}, // until its block is known
		{"TST $7, R1", []uint32{0xf240083f}, Compare{Register: 1, Bits: 64, IsConst: true, Masked: true}},
		{"TSTW $1, R0", []uint32{0x7200001f}, Compare{Register: 0, Bits: 32, IsConst: true, Masked: true, Flag: true, result: true}},
		{"CBZ R5", []uint32{0xb4000045}, Compare{Register: 5, Bits: 64, IsConst: true}},
		{"TBNZ $0, R6", []uint32{0x37000046}, Compare{Register: 6, Bits: 1, IsConst: true, Masked: true, Flag: true, result: true}},
		{"TBZ $63, R6", []uint32{0xb6f80046}, Compare{Register: 6, Bits: 64, IsConst: true}},
		{"FCMPD F1, F0", []uint32{0x1e612000}, Compare{Register: -1, Bits: 64, Float: true}},
	} {
		insts := words(t, test.code...)
		if got := insts[len(insts)-1].Compare; got == nil || *got != test.want {
			t.Errorf("%s: %+v, not %+v", test.name, got, test.want)
		}
	}
	for _, code := range [][]uint32{{0xf1001400}, {0xba410800}, {0xd1001400}} { // SUBS to R0, CCMN, SUB
		if i := words(t, code...); i[0].Compare != nil || i[0].setsFlags == i[0].keepsFlags {
			t.Errorf("%#x: %+v", code, i[0].Compare)
		}
	}
}

// TestSetARM64 knows what instructions make of a register.
func TestSetARM64(t *testing.T) {
	for _, test := range []struct {
		name string
		code uint32
		want Set
	}{
		{"SUB $48, R1, R0", 0xd100c020, Set{Added, 1, -48}},
		{"ADD $1, R2, R0", 0x91000440, Set{Added, 2, 1}},
		{"MOVD R4, R0", 0xaa0403e0, Set{Copied, 4, 0}},
		{"MOVD ZR, R0", 0xaa1f03e0, Set{Constant, 0, 0}},
		{"ORR $1, ZR, R0", 0xb24003e0, Set{Constant, 0, 1}},
		{"MOVD $-1, R0", 0x92800000, Set{Constant, 0, -1}},
		{"MOVBU R3, R0", 0xd3401c60, Set{Copied, 3, 0}},
		{"AND $255, R3, R0", 0x92401c60, Set{Copied, 3, 0}},
		{"AND $15, R3, R0", 0x92400c60, Set{How: Computed}},
		{"MOVD 16(R1), R0", 0xf9400820, Set{How: Loaded}},
		{"LDP (R1), (R2, R0)", 0xa9400022, Set{How: Loaded}},
		{"MOVD R0, 16(R1)", 0xf9000820, Set{}},
		{"MOVD.P 16(R0), R1", 0xf8410401, Set{How: Computed}},
		{"STLXR R2, (R1), R0", 0xc800fc22, Set{How: Computed}},
		{"LDADDAL R2, (R1), R0", 0xf8e20020, Set{How: Loaded}},
		{"CMP $5, R0", 0xf100141f, Set{}},
	} {
		if got := words(t, test.code)[0].Set(0); got != test.want {
			t.Errorf("%s: %+v, not %+v", test.name, got, test.want)
		}
	}
}

// TestFrameARM64 tells spills from stores: those by a register that is made of the stack pointer for lack of room are spills.
func TestFrameARM64(t *testing.T) {
	for _, test := range []struct {
		name   string
		code   []uint32
		stores bool
	}{
		{"MOVD R0, 24(RSP)", []uint32{0xf9000fe0}, false},
		{"MOVD R0, 16(R1)", []uint32{0xf9000820}, true},
		{"ADD $1024, RSP, R27; STP (R0, R1), (R27)", []uint32{0x911003fb, 0xa9000760}, false},
		{"SUB $4096, RSP, R20; STP (R29, R30), -8(R20)", []uint32{0xd14007f4, 0xa93ffa9d}, false},
		{"ADRP page, R27; MOVD R0, (R27)", []uint32{0x9000001b, 0xf9000360}, true},
		{"MOVB (R0), R27", []uint32{0x3940001b}, false},
		{"CASAL R0, (R1), R2", []uint32{0xc8e0fc22}, true},
		{"LDADDAL R2, (R1), R0", []uint32{0xf8e20020}, true},
		{"LDAR (R1), R0", []uint32{0xc8dffc20}, false},
		{"FMOVD F0, (R1)", []uint32{0xfd000020}, true},
		{"FLDPQ (R0), (F0, F1)", []uint32{0xad400400}, false},
	} {
		insts := words(t, test.code...)
		if got := insts[len(insts)-1].stores; got != test.stores {
			t.Errorf("%s: stores %t", test.name, got)
		}
	}
}

// TestAllARM64 decodes all functions of a command for arm64. Package arm64asm is the slower truth for instructions that it knows.
// How far the stack pointer is down follows from the instructions: it is the same on all ways, and nothing at returns.
func TestAllARM64(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a command")
	}
	name := filepath.Join(t.TempDir(), "gofmt")
	cmd := exec.Command("go", "build", "-o", name, "cmd/gofmt")
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	im, err := Open(name, func(string) bool { return true }, func(string) bool { return false })
	if err != nil {
		t.Fatal(err)
	}
	declined, unknown, known, tables := 0, 0, 0, 0
	for _, f := range im.Funcs {
		if err := im.Build(f); err != nil {
			t.Logf("%s: %v", f.Name, err)
			declined++
			continue
		}
		for _, i := range f.Insts {
			in, err := arm64asm.Decode(i.Code)
			if err != nil {
				unknown++
				continue
			}
			known++
			if why := disagrees(i, in); why != "" {
				t.Errorf("%s, %#x, %v: %s", f.Name, i.PC, in, why)
			}
		}
		for _, b := range f.Blocks {
			if b.Table != 0 {
				tables++
			}
		}
		if strings.HasPrefix(f.Name, "runtime.") || strings.HasPrefix(f.Name, "internal/runtime/") {
			continue // assembly, and calls that do not return under other names
		}
		if why := levels(f); why != "" {
			t.Errorf("%s: %s", f.Name, why)
		}
	}
	t.Logf("%d functions, %d not decoded; %d instructions, %d that arm64asm does not know; %d tables", len(im.Funcs), declined,
		known+unknown, unknown, tables)
	if declined*100 > len(im.Funcs) || tables < 20 || known < 100_000 {
		t.Error("that is too few")
	}
}

// disagrees holds what is known of an instruction against how package arm64asm decodes it.
func disagrees(i *Inst, in arm64asm.Inst) string {
	op := in.Op.String()
	var to arm64asm.PCRel
	direct, cond := false, false
	for _, a := range in.Args {
		switch a := a.(type) {
		case arm64asm.PCRel:
			to, direct = a, true
		case arm64asm.Cond:
			cond = true
		}
	}
	want := goesOn
	switch {
	case op == "B" && cond, slices.Contains([]string{"CBZ", "CBNZ", "TBZ", "TBNZ"}, op):
		want = branches
	case op == "B" || op == "BR":
		want = jumps
	case op == "BL" || op == "BLR":
		want = calls
	case op == "RET":
		want = returns
	case op == "BRK":
		want = traps
	}
	if want != i.flow {
		return fmt.Sprintf("flow %d, not %d", i.flow, want)
	}
	if want == branches || want == jumps && direct || want == calls && direct {
		if got, ok := i.Target(); !ok || got != i.PC+uint64(to) {
			return fmt.Sprintf("it leads to %#x", got)
		}
	}
	flags := slices.Contains([]string{"ADCS", "ADDS", "ANDS", "BICS", "CCMN", "CCMP", "CMN", "CMP", "FCMP", "FCMPE", "FCCMP", "NEGS",
		"NGCS", "SBCS", "SUBS", "TST"}, op)
	if flags != i.setsFlags {
		return fmt.Sprintf("it is said to set flags: %t", i.setsFlags)
	}
	if (op == "CMP" || op == "CMN" || op == "TST" || op == "FCMP") != (i.Compare != nil && i.flow == goesOn) {
		return "a compare is not taken for one, or something else is"
	}
	stores := false
	for _, prefix := range []string{"ST", "CAS", "LDADD", "SWP"} {
		stores = stores || strings.HasPrefix(op, prefix)
	}
	if w := i.word(); stores != (w.isMemory() && w.writes()) {
		return fmt.Sprintf("it is said to write memory: %t", !stores)
	}
	return ""
}

// levels makes sure that the stack pointer is where it was at returns, and at one place in each block that control reaches.
func levels(f *Function) string {
	depths := f.Depths()
	seen := map[*Block]bool{f.Blocks[0]: true}
	work := []*Block{f.Blocks[0]}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		last := b.Last()
		end := depths[last.PC] + int(last.pushes)
		if b.Ret && last.flow == returns && end != 0 {
			return fmt.Sprintf("it returns at %#x with %d bytes on the stack", last.PC, end)
		}
		for _, s := range b.Succs {
			if d := depths[s.Insts[0].PC]; d != end {
				return fmt.Sprintf("%d bytes on the stack at %#x, %d behind %#x", d, s.Insts[0].PC, end, last.PC)
			}
			if !seen[s] {
				seen[s] = true
				work = append(work, s)
			}
		}
	}
	return ""
}
