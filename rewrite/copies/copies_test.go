package copies

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"flag"
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/arch/x86/x86asm"

	"github.com/goprofinstr/goprofinstr/rewrite/machine"
	"github.com/goprofinstr/goprofinstr/rewrite/pathmap"
	rt "github.com/goprofinstr/goprofinstr/rt/copies"
	"github.com/goprofinstr/goprofinstr/rt/pathlog"
)

// every says which functions of a command are copied. All functions are 1.
var every = flag.Int("copies.every", 3, "copy each of so many functions of a command")

// TestAll copies functions of a command, without records, and with looks and a record on every edge. It decodes the copies:
// they have the instructions of the originals in their order, and jumps lead to where the originals' do.
func TestAll(t *testing.T) {
	name := build(t)
	for _, records := range []bool{false, true} {
		if n, of := checkProgram(t, openSome(t, name), New, records); n < of*9/10 {
			t.Errorf("%d of %d functions are copied", n, of)
		}
	}
}

// openSome reads a program. The list of its functions has one of each -copies.every.
func openSome(t testing.TB, name string) *machine.Image {
	im := open(t, name)
	var some []*machine.Function
	for k := 0; k < len(im.Funcs); k += *every {
		some = append(some, im.Funcs[k])
	}
	im.Funcs = some
	return im
}

// open reads all functions of a program.
func open(t testing.TB, name string) *machine.Image {
	all := func(string) bool { return true }
	im, err := machine.Open(name, all, func(string) bool { return false })
	if err != nil {
		t.Fatal(err)
	}
	return im
}

// checkProgram copies the functions of a program, with or without records, and checks the copies. It returns how many could be
// copied, and how many there are.
func checkProgram(t *testing.T, im *machine.Image, begin func(im *machine.Image, base uint64) *Copier, records bool) (n, of int) {
	c := begin(im, Base(im.File))
	declined := make(map[string]int)
	var copied []*machine.Function
	insts := 0
	for _, f := range im.Funcs {
		if f.Blocks == nil && im.Build(f) != nil {
			declined["not decoded"]++
			continue
		}
		var plans []Counted
		if records {
			plans = append(plans, Counted{everywhere(f), uint32(len(copied))})
		}
		if err := c.Add(f, plans); err != nil {
			why, _, _ := strings.Cut(err.Error(), " at ")
			declined[why]++
			continue
		}
		copied, insts = append(copied, f), insts+len(f.Insts)
	}
	got, err := c.Finish()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("records %t: %d of %d functions copied, %d instructions, %d bytes; declined: %v",
		records, len(copied), len(im.Funcs), insts, len(got.Code), declined)
	checkCopies(t, im.File, got, copied, records)
	return len(copied), len(im.Funcs)
}

// everywhere is a plan with a choice on each edge, and looks at all conditions and at all registers but the stack pointer.
func everywhere(f *machine.Function) *pathmap.Plan {
	p := &pathmap.Plan{From: []int{0, 0}}
	choice := &pathmap.Choice{
		Ways: [][]int{{0}, {1}}, Ops: [][]pathmap.Op{{{Add: 1}}, {{Add: 2}}}, Also: make([][]*pathmap.Also, 2), Not: make([]uint64, 2),
	}
	for _, b := range f.Blocks {
		n := pathmap.Node{Block: b}
		for range max(1, len(b.Next())) {
			n.Exits = append(n.Exits, pathmap.Exit{Ops: []pathmap.Op{{Choice: choice}}})
		}
		register, condition := b.Index%16, b.Index%16
		if f.Insts[0].Len == 0 { // arm64 has two less
			condition = b.Index % 14
		}
		if register != stackPointer {
			p.Looks = append(p.Looks, &pathmap.Look{At: b.Insts[0], Register: register, Condition: -1, Otherwise: 1})
		}
		p.Looks = append(p.Looks, &pathmap.Look{At: b.Last(), Register: -1, Condition: condition, Otherwise: 1})
		p.Nodes = append(p.Nodes, n)
	}
	return p
}

// A checker decodes copies.
type checker struct {
	*testing.T
	c     *Copied
	insts map[uint64]*machine.Inst
	seen  map[uint64]bool     // originals whose copies have been found
	looks map[x86asm.Arg]bool // registers that are looked at

	called []uint64 // addresses for indirect calls

	outside map[uint64]bool // distances of calls and jumps outside of windows

	arm64 bool // the copies are for arm64
}

func checkCopies(t *testing.T, f *elf.File, got *Copied, functions []*machine.Function, records bool) {
	k := &checker{T: t, c: got, insts: make(map[uint64]*machine.Inst), seen: make(map[uint64]bool), looks: make(map[x86asm.Arg]bool),
		outside: make(map[uint64]bool), arm64: f.Machine == elf.EM_AARCH64}
	for _, fn := range functions {
		for _, i := range fn.Insts {
			k.insts[i.PC] = i
		}
	}
	notes := 0
	for n, p := range got.Origins {
		end := uint32(len(got.Code))
		if n+1 < len(got.Origins) {
			end = got.Origins[n+1].Copy
		}
		code, at := got.Code[p.Copy:end], uint64(p.At&rt.AddressMask)
		switch p.At >> rt.KindShift {
		case rt.Instruction:
			offset := uint64(p.Copy)
			if k.arm64 {
				k.instruction64(offset, code, at)
				break
			}
			if k.outside[offset] {
				k.original(offset, code, at)
				continue
			}
			n := k.asks(offset, code, at)
			k.instruction(offset+uint64(n), code[n:], at)
		case rt.Noting:
			notes++
			if k.arm64 {
				k.note64(code)
				break
			}
			k.note(code, x86asm.RAX)
		case rt.NotingCX:
			k.note(code, x86asm.RCX)
		}
		if t.Failed() {
			t.Fatalf("origin %d at %#x of the original: %v, % x, copy % x", n, at, k.textOf(at), k.codeOf(at), code)
		}
	}
	if records != (notes > 0) || records && len(k.looks) != 15 {
		t.Errorf("%d records, looks at %v", notes, k.looks)
	}
	if !slices.IsSortedFunc(got.Origins, func(a, b rt.Origin) int { return int(a.Copy) - int(b.Copy) }) {
		t.Error("origins are not in order")
	}
	k.complete(functions)
	k.entrances()
	k.places(functions)
	k.follow(functions)
}

// textOf and codeOf have an instruction, if there is one.
func (k *checker) textOf(at uint64) string {
	if i := k.insts[at]; i != nil {
		return i.Text()
	}
	return "nothing"
}

func (k *checker) codeOf(at uint64) []byte {
	if i := k.insts[at]; i != nil {
		return i.Code
	}
	return nil
}

// complete makes sure that nothing is missing but what is meant to be: jumps within functions, and calls that do not return.
func (k *checker) complete(functions []*machine.Function) {
	for _, f := range functions {
		for _, i := range f.Insts {
			to, direct := i.Target()
			within := i.IsJump() && !i.IsConditional() && direct && to >= f.Lo && to < f.Hi
			if !k.seen[i.PC] && !within && i.Kind != machine.Panics {
				k.Fatalf("%s: %#x %s is not copied", f.Name, i.PC, i.Text())
			}
		}
	}
}

// entrances makes sure that a thread changes over to the same instruction, or to the record in front of a function.
func (k *checker) entrances() {
	for n, d := range k.c.Entrances {
		if n > 0 && k.c.Entrances[n-1].At >= d.At {
			k.Fatalf("entrances are not in order at %#x", d.At)
		}
		p, _ := k.origin(uint64(d.Copy))
		if p.Copy != d.Copy || p.At&rt.AddressMask != d.At {
			k.Fatalf("the entrance of %#x is %#x", d.At, p.At)
		}
		if _, function := k.c.Entries[uint64(d.At)]; p.At>>rt.KindShift != rt.Instruction && !function {
			k.Fatalf("the entrance of %#x is not the instruction", d.At)
		}
	}
	for n, d := range k.c.Returns {
		p, _ := k.origin(uint64(d.Copy))
		if p.Copy != d.Copy || p.At != d.At|rt.Leading<<rt.KindShift || n > 0 && k.c.Returns[n-1].At >= d.At {
			k.Fatalf("what returns to %#x is to return to the copy of %#x", d.At, p.At)
		}
	}
}

// origin returns what a place in the code stands for.
func (k *checker) origin(at uint64) (rt.Origin, int) {
	n, ok := slices.BinarySearchFunc(k.c.Origins, uint32(at), func(p rt.Origin, at uint32) int { return int(p.Copy) - int(at) })
	if !ok {
		n--
	}
	return k.c.Origins[n], n
}

// instruction compares an instruction with the original.
func (k *checker) instruction(offset uint64, code []byte, at uint64) {
	o := k.insts[at]
	if o == nil {
		k.Errorf("no instruction")
		return
	}
	k.seen[at] = true
	if o.Vex {
		if !sameVex(o, code, k.c.Base+offset+uint64(len(code))) {
			k.Errorf("% x, original % x", code, o.Code)
		}
		return
	}
	if _, direct := o.Target(); !direct && (o.Op == x86asm.CALL || o.Op == x86asm.JMP) && k.throughRegister(o) {
		k.indirect(code, o)
		return
	}
	got, err := x86asm.Decode(code, 64)
	if err != nil {
		k.Errorf("% x: %v", code, err)
		return
	}
	if got.Op != o.Op {
		k.Errorf("%v, original %v", got, o.Text())
	}
	here := k.c.Base + offset + uint64(got.Len)
	for n, arg := range o.Args {
		switch arg := arg.(type) {
		case x86asm.Rel:
			to, _ := o.Target()
			rel, _ := got.Args[n].(x86asm.Rel)
			k.leads(here+uint64(int64(rel)), to)
		case x86asm.Mem:
			m, _ := got.Args[n].(x86asm.Mem)
			if arg.Base == x86asm.RIP {
				to, is := uint64(uint32(o.End()+uint64(arg.Disp))), uint64(uint32(here+uint64(m.Disp))) // x86asm does not extend signs
				if is != to && (o.Op != x86asm.LEA || !k.within(is)) {                                  // a table
					k.Errorf("%v is about %#x, original %#x", got, is, to)
				}
				m.Disp = arg.Disp
			}
			if m != arg {
				k.Errorf("%v, original %v", got, o.Text())
			}
		default:
			if !reflect.DeepEqual(arg, got.Args[n]) {
				k.Errorf("%v, original %v", got, o.Text())
			}
		}
	}
}

func (k *checker) throughRegister(o *machine.Inst) bool {
	_, ok := o.Args[0].(x86asm.Reg)
	return ok
}

// sameVex reports whether code that ends at an address is an instruction, of which nobody knows where it may have a displacement.
func sameVex(o *machine.Inst, code []byte, end uint64) bool {
	if len(code) != int(o.Len) || bytes.Equal(code, o.Code) {
		return len(code) == int(o.Len)
	}
	for at := 3; at+4 <= len(code); at++ {
		is, was := int32(binary.LittleEndian.Uint32(code[at:])), int32(binary.LittleEndian.Uint32(o.Code[at:]))
		if end+uint64(int64(is)) == o.End()+uint64(int64(was)) {
			return bytes.Equal(code[:at], o.Code[:at]) && bytes.Equal(code[at+4:], o.Code[at+4:])
		}
	}
	return false
}

func (k *checker) within(a uint64) bool { return a >= k.c.Base && a < k.c.Base+uint64(len(k.c.Code)) }

// leads makes sure that control that goes to an address goes to an original, or to its copy: directly, or by records and jumps.
func (k *checker) leads(is, to uint64) {
	if is == to {
		return
	}
	if !k.within(is) {
		k.Errorf("leads to %#x, original %#x", is, to)
		return
	}
	p, _ := k.origin(is - k.c.Base)
	if uint64(p.Copy) != is-k.c.Base {
		k.Errorf("leads into an instruction of %#x", p.At)
	}
	if at := uint64(p.At & rt.AddressMask); at != to {
		k.Errorf("leads to the copy of %#x, original %#x", at, to)
	}
}

// note makes sure that code is a record, and that it uses a register which it saves and
// restores.
func (k *checker) note(code []byte, by x86asm.Reg) {
	var text []string
	for begin := len(code); len(code) > 0; {
		i, err := x86asm.Decode(code, 64)
		if err != nil {
			k.Errorf("a record: %v", err)
			return
		}
		first := len(code) == begin
		code = code[i.Len:]
		switch memory, _ := i.Args[0].(x86asm.Mem); {
		case first:
			if i.Len != rt.Saved || memory.Segment != x86asm.FS || int32(memory.Disp) != int32(k.c.Words)+saved || i.Args[1] != by {
				k.Errorf("a record begins with %v", i)
			}
		case len(code) == 0:
			if i.Args[0] != by || int32(i.Args[1].(x86asm.Mem).Disp) != int32(k.c.Words)+saved {
				k.Errorf("a record ends with %v", i)
			}
		case memory.Base == by && memory.Disp == pathlog.RecordSize && i.Args[1] == by:
			k.Errorf("a look at what is not there any more: %v", i)
		case memory.Base != 0 && memory.Base != by:
			k.Errorf("a record has %v", i)
		case memory.Base == by && memory.Disp == pathlog.RecordSize && i.Op == x86asm.MOV && memory.Segment == 0:
			if r, ok := i.Args[1].(x86asm.Reg); ok {
				k.looks[r] = true
			}
		}
		op := i.Op.String()
		if strings.HasPrefix(op, "SET") {
			op = "SET"
		}
		text = append(text, op)
	}
	value, ok := strings.CutPrefix(strings.Join(text, " "), "MOV MOV ")
	value, plain := strings.CutSuffix(value, "MOV MOV LEA MOV MOV")
	if !ok || !plain || value != "" && value != "MOV " && value != "MOV SET " {
		k.Errorf("a record is %v", text)
	}
}
