package copies

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/arch/arm64/arm64asm"
	"golang.org/x/arch/x86/x86asm"

	"github.com/goprofinstr/goprofinstr/rewrite/machine"
	rt "github.com/goprofinstr/goprofinstr/rt/copies"
)

// TestARM64 is TestAll for arm64. Nothing is run.
func TestARM64(t *testing.T) {
	im := openSome(t, buildARM64(t))
	for _, records := range []bool{false, true} {
		if n, of := checkProgram(t, im, New, records); n < of*9/10 {
			t.Errorf("%d of %d functions are copied", n, of)
		}
	}
	if list, err := Transit(im, func(f *machine.Function) bool { return f.Package == "go/printer" }); err != nil {
		t.Error(err)
	} else {
		checkTransit(t, list)
	}
}

// textOf64 returns code in the assembler's syntax, as package arm64asm decodes it.
func textOf64(code []byte) (list []string) {
	for ; len(code) >= 4; code = code[4:] {
		w := [4]byte(code)
		text, ok := texts64[w]
		if !ok {
			text = fmt.Sprintf("% x", w)
			if i, err := arm64asm.Decode(w[:]); err == nil {
				text = arm64asm.GoSyntax(i, 0, nil, nil)
			}
			texts64[w] = text
		}
		list = append(list, text)
	}
	return list
}

// texts64 are the texts of instructions: most come back a thousand times. No two tests of this package run at a time.
var texts64 = make(map[[4]byte]string)

// record64 matches records: the first part is a look's.
var record64 = regexp.MustCompile(`^MOVD 48\(R28\), R18; MOVD (\d+)\(R18\), R27; ` +
	`(CSETW \w+, R18; MOVD R18, 8\(R27\); |MOVD R(\d+), 8\(R27\); )?` +
	`MOVD RSP, R18; MOVW R18, 4\(R27\); MOVW \$(\d+), R18; MOVKW \$\(\d+<<16\), R18; MOVW.P R18, (\d+)\(R27\); ` +
	`MOVD 48\(R28\), R18; ADD \$(\d+), R18, R18; STLR R27, \(R18\)$`)

// note64 makes sure that code is a record.
func (k *checker) note64(code []byte) {
	text := strings.Join(textOf64(code), "; ")
	m := record64.FindStringSubmatch(text)
	if m == nil || m[1] != m[6] || m[5] != map[bool]string{false: "8", true: "16"}[m[2] != ""] {
		k.Errorf("a record is %s", text)
		return
	}
	if m[3] != "" {
		var r x86asm.Imm
		fmt.Sscan(m[3], &r)
		k.looks[r] = true
	}
}

// word returns the word at an offset in the code.
func (k *checker) word(offset uint64) word {
	return word(binary.LittleEndian.Uint32(k.c.Code[offset:]))
}

// jump64 returns where a jump or call leads that is at an offset in the code: by a relay, if it leads to one.
func (k *checker) jump64(offset uint64) uint64 {
	offset += uint64(4 * k.word(offset).signed(0, 26))
	if offset < uint64(k.c.Text) && k.word(offset)&^(0xffff<<5) == lowWord|platform && is64(relay64, k.c.Code[offset:k.c.Text], 12) {
		return k.c.relayed(offset)
	}
	return k.c.Base + offset
}

// instruction64 compares an instruction with the original.
func (k *checker) instruction64(offset uint64, code []byte, at uint64) {
	o := k.insts[at]
	if o == nil {
		k.Errorf("no instruction")
		return
	}
	k.seen[at] = true
	to, direct := o.Target()
	if k.outside[offset] {
		k.original64(offset, o)
		return
	}
	n := k.asks64(offset, code, at)
	offset, code = offset+uint64(n), code[n:]
	is, was := k.word(offset), wordOf(o)
	switch {
	case o.IsConditional():
		k.leads(k.jump64(offset+4), to)
		k.contrary(o, textOf64(code)[0])
	case direct:
		if is>>26 != was>>26 {
			k.Errorf("%#x in place of %#x", is, was)
		}
		k.leads(k.jump64(offset), to)
	case was&0xffdffc1f == 0xd61f0000: // BR, BLR
		k.indirect64(offset, code, o)
	case len(code) > 4: // of a jump through a table
		k.seen[o.End()] = true
	case was.bits(24, 5) == 0x10: // ADRP
		if is&0x9f00001f != was&0x9f00001f || k.page64(is, k.c.Base+offset) != k.page64(was, at) {
			k.Errorf("%#x in place of %#x", is, was)
		}
	case is != was:
		k.Errorf("%#x in place of %#x", is, was)
	}
}

func (k *checker) page64(w word, at uint64) uint64 {
	return at&^0xfff + uint64(w.signed(5, 19)<<2|int64(w.bits(29, 2)))<<12
}

// contraries are pairs of jumps.
var contraries = [][2]string{{"BEQ", "BNE"}, {"BCS", "BCC"}, {"BHS", "BLO"}, {"BMI", "BPL"}, {"BVS", "BVC"}, {"BHI", "BLS"},
	{"BGE", "BLT"}, {"BGT", "BLE"}, {"CBZ", "CBNZ"}, {"CBZW", "CBNZW"}, {"TBZ", "TBNZ"}}

// contrary makes sure that the copy of a jump jumps where the original does not.
func (k *checker) contrary(o *machine.Inst, text string) {
	is, operands, _ := strings.Cut(text, " ")
	was, originals, _ := strings.Cut(textOf64(o.Code)[0], " ")
	for _, c := range contraries {
		if c == [2]string{is, was} || c == [2]string{was, is} {
			i, o := strings.LastIndex(operands, ","), strings.LastIndex(originals, ",")
			if operands[max(0, i):] == originals[:0] || operands[:max(0, i)] != originals[:max(0, o)] || !strings.HasSuffix(text, "2(PC)") {
				k.Errorf("%s for %s %s", text, was, originals)
			}
			return
		}
	}
	k.Errorf("%s is not the contrary of %s", text, was)
}

// instruction64 checks where control goes from the copy of an instruction.
func (w *flow) instruction64(b *machine.Block, i *machine.Inst, at uint64) {
	switch code := wordOf(i); {
	case i.IsConditional():
		to, _ := i.Target()
		w.goesTo(b, i, w.jump64(at+4), to)
		w.goesTo(b, i, w.c.Base+at+8, i.End())
	case i.IsJump(), i.IsReturn(), code == 0, code&0xffe0001f == 0xd4200000: // BRK
	case i.IsCall():
		w.returns(b, i, at)
	case b.Table != 0 && i.End() == b.Last().PC:
		w.table64(b, at)
	default:
		w.goesTo(b, i, w.c.Base+at+4, i.End())
	}
}

// table64 checks the copy of a load from a table, and of the jump: one of two copies, the other of which is the original's load.
func (w *flow) table64(b *machine.Block, at uint64) {
	p, n := w.origin(at)
	end := uint64(w.c.Origins[n+1].Copy)
	load, r := wordOf(b.Insts[len(b.Insts)-2]), wordOf(b.Last()).bits(5, 5)
	if end == at+4 {
		return
	}
	page, add := w.word(at), w.word(at+4)
	table := w.page64(page, w.c.Base+at) + uint64(add.bits(10, 12))
	if p.Copy != uint32(at) || page.bits(0, 5) != r || add&0xffc003ff != word(addWord|r<<5|r) ||
		w.word(at+8) != load&^(31<<5)|word(r<<5) || w.word(at+12) != wordOf(b.Last()) || table%8 != 0 || !w.within(table) {
		w.Errorf("%v is the copy of a jump through a table", textOf64(w.c.Code[at:end]))
		return
	}
	for k, s := range b.Succs {
		w.goesTo(b, b.Last(), binary.LittleEndian.Uint64(w.c.Code[table-w.c.Base+8*uint64(k):]), s.Insts[0].PC)
	}
}

// test64 matches the test behind a call.
var test64 = regexp.MustCompile(`^MOVD 48\(R28\), R27; MOVD \d+\(R27\), R27; CBNZ R27, 2\(PC\); JMP `)

// led64 is led for arm64.
func (w *flow) led64(p rt.Origin, at uint64) (uint64, bool) {
	offset := at - w.c.Base
	code := w.c.Code[offset:]
	switch {
	case w.word(offset)>>26 == jumpWord>>26:
		return w.jump64(offset), true
	case w.word(offset) == 0:
		return w.f.Hi, true // nothing gets behind the function
	case is64(ask64, code, asks):
		over := uint64(p.At & rt.AddressMask)
		return at + asks, w.behind64(w.c.Base+k19(w.word(offset+8), offset+8), over, at+asks)
	case w.word(offset)&^(0xffff<<5) == lowWord|platform && is64(relay64, code, 12):
		return w.c.relayed(offset), true
	case w.word(offset)&0x9f00001f == pageWord|platform && is64(stay64, code, 16):
		back := w.c.Base + k19(w.word(offset+8), offset+8)
		return back, w.behind64(at, uint64(p.At&rt.AddressMask), back)
	case is64(test64, code, 16):
		return at + 16, w.jump64(offset+12) == uint64(p.At&rt.AddressMask)
	}
	return 0, false
}

// indirect64 is indirect for arm64.
func (k *checker) indirect64(offset uint64, code []byte, o *machine.Inst) {
	through := wordOf(o).bits(5, 5)
	for _, to := range k.callees() {
		want := to
		if copied, ok := k.c.Entries[to]; ok {
			want = copied
		}
		var regs [32]uint64
		for r := range regs {
			regs[r] = 0x1111_1111_1111_1111 * uint64(r)
		}
		regs[through] = to
		before, below, left := regs, false, len(code)/4
		for n := 0; n < len(code); n += 4 {
			if at := regs[through]; at != to && at != want {
				k.Errorf("%s, left with %#x in place of %#x", o.Text(), at, to)
			}
			if left--; left < 0 {
				k.Errorf("%s: no end", o.Text())
				return
			}
			w := k.word(offset + uint64(n))
			d, s, m := w.bits(0, 5), w.bits(5, 5), w.bits(16, 5)
			switch name, operands, _ := strings.Cut(textOf64(code[n:])[0], " "); name {
			case "MOVW":
				regs[d] = uint64(w.bits(5, 16))
			case "MOVWU":
				at := regs[s] + regs[m]<<2 - k.c.Base
				if at+4 > uint64(len(k.c.Code)) || !strings.Contains(operands, "<<2") {
					k.Errorf("%s reads at %#x", o.Text(), at)
					return
				}
				regs[d] = uint64(k.word(at))
			case "MOVKW":
				regs[d] = regs[d]&0xffff | uint64(w.bits(5, 16))<<16
			case "MOVD":
				regs[d] = regs[m]
			case "SUB":
				regs[d] = regs[s] - regs[m]
			case "ROR", "EXTR":
				regs[d] = bits.RotateLeft64(regs[s], -w.bits(10, 6))
			case "CMP":
				below = regs[s] < regs[m]
			case "BCS", "BHS":
				if !below {
					n += 4 * (w.bits(5, 19) - 1)
				}
			case "CBZW":
				if uint32(regs[d]) == 0 {
					n += 4 * (w.bits(5, 19) - 1)
				}
			case "CALL", "JMP":
				if regs[s] != want || n+4 != len(code) || (name == "CALL") != o.IsCall() {
					k.Errorf("%s of %#x comes to %#x, not %#x", o.Text(), to, regs[s], want)
				}
			default:
				k.Errorf("%s %s in the code of an indirect call", name, operands)
			}
			if k.Failed() {
				return
			}
		}
		for r, v := range regs {
			if v != before[r] && r != calleeRegister && r != indexRegister && r != temporary && (r != prologue || through != temporary) {
				k.Errorf("%s changes register %d", o.Text(), r)
			}
		}
	}
}

// TestColdARM64 is TestCold for arm64, without C code.
func TestColdARM64(t *testing.T) {
	var c *Copier
	begin := func(im *machine.Image, base uint64) *Copier {
		c = NewCold(im, base, 1<<16)
		return c
	}
	n, of := checkProgram(t, openSome(t, buildARM64(t)), begin, true)
	if n < of*9/10 {
		t.Errorf("%d of %d functions are copied", n, of)
	}
	if c.base%(1<<16) != 0 {
		t.Errorf("the code begins at %#x, which is not a multiple of all sizes of pages", c.base)
	}
	checkCold(t, c, n)
}

// count64 matches what a counter begins with, and where that adds to a word.
var count64 = regexp.MustCompile(`^ADRP .*, R27; MOVD (\d*)\(R27\), R18; ADD \$1, R18, R18; MOVD R18, (\d*)\(R27\)$`)

// counts64 returns the word that the counter at an offset adds to, 0 if it is none.
func (k *checker) counts64(offset uint64) uint64 {
	m := count64.FindStringSubmatch(strings.Join(textOf64(k.c.Code[offset:offset+16]), "; "))
	if m == nil || m[1] != m[2] {
		return 0
	}
	n, _ := strconv.ParseUint("0"+m[1], 10, 12)
	return k.page64(k.word(offset), k.c.Base+offset) + n
}

// is64 reports whether the first bytes of code match.
func is64(pattern *regexp.Regexp, code []byte, n int) bool {
	return pattern.MatchString(strings.Join(textOf64(code[:min(n, len(code))]), "; "))
}

// relay64 matches a jump that leads everywhere.
var relay64 = regexp.MustCompile(`^MOVW \$\d+, R18; MOVKW \$\(\d+<<16\), R18; JMP \(R18\)$`)

// relayed returns where the relay at an offset leads.
func (c *Copied) relayed(offset uint64) uint64 {
	at := func(k uint64) uint64 { return uint64(binary.LittleEndian.Uint32(c.Code[offset+4*k:])) >> 5 & 0xffff }
	return at(0) | at(1)<<16
}

// TestRelaysARM64 has jumps and calls reach less than copies and originals are apart. What does not reach leads to a relay, and
// all leads to the same as ever.
func TestRelaysARM64(t *testing.T) {
	var c *Copier
	begin := func(im *machine.Image, base uint64) *Copier {
		c = NewCold(im, base, 1<<16)
		c.LimitReach(1 << 19)
		return c
	}
	if n, of := checkProgram(t, openSome(t, buildARM64(t)), begin, true); n < of*9/10 {
		t.Errorf("%d of %d functions are copied", n, of)
	}
	code, calls := &Copied{Code: c.code}, 0
	for _, r := range c.relays.put {
		to := r.to
		if entry, ok := c.entries[to]; ok && r.call {
			to = entry
			calls++
		}
		if text := strings.Join(textOf64(c.code[r.at:r.at+12]), "; "); !relay64.MatchString(text) || code.relayed(uint64(r.at)) != to {
			t.Fatalf("the relay to %#x is %s", to, text)
		}
	}
	t.Logf("%d relays, %d of them to copies", len(c.relays.put), calls)
	if len(c.relays.put) < 1000 || calls < 100 {
		t.Errorf("%d relays, %d of them to copies", len(c.relays.put), calls)
	}
}

// ask64 matches the test whether the thread is in a window, and asks is how many bytes it has.
var ask64 = regexp.MustCompile(`^MOVD 48\(R28\), R18; MOVD \d+\(R18\), R18; CBZ R18, -?\d+\(PC\)$`)

const asks = 12

// k19 returns where a conditional jump leads that is at an offset.
func k19(w word, offset uint64) uint64 { return offset + uint64(4*w.signed(5, 19)) }

// asks64 is asks for arm64.
func (k *checker) asks64(offset uint64, code []byte, at uint64) int {
	if len(code) <= asks || wordOf(&machine.Inst{Code: code}).bits(0, 5) != platform || !is64(ask64, code, asks) {
		return 0
	}
	to := k19(k.word(offset+8), offset+8)
	if p, _ := k.origin(to); uint64(p.Copy) != to || uint64(p.At&rt.AddressMask) != at || p.At>>rt.KindShift != rt.Instruction {
		k.Errorf("outside of windows it leads to %#x", p.At)
	}
	k.outside[to] = true
	return asks
}

// original64 is original for arm64.
func (k *checker) original64(offset uint64, o *machine.Inst) {
	to, direct := o.Target()
	switch is, was := k.word(offset), wordOf(o); {
	case !direct && is != was:
		k.Errorf("%#x in place of %#x", is, was)
	case direct && (is>>26 != was>>26 || k.jump64(offset) != to):
		k.Errorf("%#x leads to %#x, original %#x", is, k.jump64(offset), to)
	}
}

// stay64 matches the test of a function's flag.
var stay64 = regexp.MustCompile(`^ADRP .*, R18; MOVBU (\d*)\(R18\), R18; CBNZ R18, -?\d+\(PC\); JMP `)

// behind64 is behind for arm64.
func (w *flow) behind64(at, over, back uint64) bool {
	if !w.within(at) {
		return false
	}
	offset := at - w.c.Base
	if w.word(offset)>>26 == jumpWord>>26 {
		return w.jump64(offset) == over
	}
	m := stay64.FindStringSubmatch(strings.Join(textOf64(w.c.Code[offset:offset+16]), "; "))
	if m == nil {
		return false
	}
	n, _ := strconv.ParseUint("0"+m[1], 10, 12)
	flag := w.page64(w.word(offset), at) + n
	return flag >= w.c.Flags && flag < w.c.Flags+uint64(len(w.c.Cold)) && w.c.Base+k19(w.word(offset+8), offset+8) == back &&
		w.jump64(offset+12) == over
}
