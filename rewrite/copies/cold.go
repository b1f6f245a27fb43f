package copies

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/arch/x86/x86asm"

	"github.com/goprofinstr/goprofinstr/rewrite/machine"
	rt "github.com/goprofinstr/goprofinstr/rt/copies"
	"github.com/goprofinstr/goprofinstr/rt/pathlog"
)

// Cold functions run in their copies always, so that what is rare is counted exactly. Pages of the text are there a second time,
// with jumps to copies at the entries of functions. The program begins with these pages, and writes what was there back where a
// function is not rare.
//
// A thread in the copy of a cold function is in a window or not. Outside of windows what it calls is the original, whose entry
// leads to the copy if that is cold, too:
//
//	        CMPQ $0, 24(FS); JE before
//	        CALL f's copy
//	        CMPQ $0, 24(FS); JE behind
//	back:   …
//
//	before: CALL f
//	behind: CMPB $0, flag of the function; JE to the original
//	        JMP back

// coldFlags are the bytes that say whether functions are cold. They are in front of the code.
type coldFlags struct {
	base      uint64 // 0 if no function begins cold
	counts    uint64 // address of a word for each function, behind the bytes: how often its counter was entered
	most      int
	functions []rt.ColdFunction
	counted   int // number of the last function's flag and 1, while its copy is made; 0 if it has none
	targets   uint32
}

// NewCold returns a copier for copies behind an address. Functions begin cold, up to most of them, but none on arm64.
func NewCold(im *machine.Image, base uint64, most int) *Copier {
	if im.File.Machine == elf.EM_AARCH64 {
		return New(im, base)
	}
	const word = 8
	counts := base + uint64(most+word-1)&^(word-1)
	c := New(im, (counts+uint64(most*word+pageSize-1))&^(pageSize-1))
	c.cold.base, c.cold.counts, c.cold.most = base, counts, most
	return c
}

// beginCold says that a copy is made of a function which may begin cold.
func (c *Copier) beginCold(f *machine.Function, plans []Counted) {
	k := &c.cold
	k.counted = 0
	if k.base == 0 || len(plans) == 0 || len(k.functions) == k.most || !MayLead(f) {
		return
	}
	first := plans[0].Target
	for i, p := range plans {
		if p.Target != first+uint32(i) || p.Target < k.targets {
			return
		}
	}
	k.targets = first + uint32(len(plans))
	k.functions = append(k.functions, rt.ColdFunction{At: uint32(f.Lo), Target: first, Targets: uint32(len(plans))})
	k.counted = len(k.functions)
}

// endCold says that the copy has been made.
func (c *Copier) endCold() {
	if k := &c.cold; k.counted > 0 {
		f := &k.functions[k.counted-1]
		f.Size = uint32(len(c.code)) - f.Copy
		k.counted = 0
	}
}

// MayLead reports whether a jump may be written over the beginning of a function: nothing else in it leads there.
func MayLead(m *machine.Function) bool {
	size := uint64(rt.LeadSize)
	if m.Insts[0].Len == 0 { // it is for arm64
		size = 4
	}
	within := func(a uint64) bool { return a > m.Lo && a < m.Lo+size }
	for _, b := range m.Blocks {
		if within(b.Insts[0].PC) {
			return false
		}
	}
	for _, i := range m.Insts {
		if i.IsCall() && (within(i.End()) || within(i.PC) || i.PC == m.Lo) { // the copy may jump to it, or to behind it
			return false
		}
	}
	return m.Hi-m.Lo >= 8 && m.Lo%8 == 0 // the eight bytes there are written at once
}

// An outside is code behind the function for a call or a jump to another function, outside of windows.
type outside struct {
	before int // the displacement of the jump in front of it, in code
	behind int // that of the jump behind a call; -1 for a jump
	inst   *machine.Inst
}

// ask has control go to other code in front of a call or a jump to another function, if the thread is in no window.
func (w *writer) ask() (displacement int) {
	w.test(window)
	w.put(0x0f, 0x84, uint32(0))
	return len(w.code) - 4
}

// callCold writes a call that returns. The function may be cold.
func (w *writer) callCold(i *machine.Inst) error {
	o := outside{inst: i}
	_, direct := i.Target()
	keeps := direct && w.arch.keepsFlags(i.Callee)
	if !keeps {
		o.before = w.ask()
	}
	if err := w.arch.call(w, i); err != nil {
		return err
	}
	w.origin(i.End(), rt.Leading)
	if !keeps {
		w.returnsHere(i)
		o.behind = w.ask()
		w.outside = append(w.outside, o)
	}
	return nil
}

// jumpCold writes a jump to another function.
func (w *writer) jumpCold(i *machine.Inst) error {
	w.outside = append(w.outside, outside{before: w.ask(), behind: -1, inst: i})
	return w.arch.call(w, i)
}

// writeOutside writes what is done outside of windows.
func (w *writer) writeOutside() error {
	for _, o := range w.outside {
		w.origin(o.inst.PC, rt.Instruction)
		w.leadHere(o.before)
		if err := w.original(o.inst); err != nil {
			return err
		}
		if o.behind < 0 {
			continue
		}
		w.origin(o.inst.End(), rt.Leading)
		w.leadHere(o.behind)
		if w.cold.counted == 0 {
			w.put(0xe9)
			if err := w.reach(o.inst.End()); err != nil {
				return err
			}
			continue
		}
		flag := w.cold.base + uint64(w.cold.counted-1)
		w.put(0x80, 0x3d)
		w.put(uint32(flag-(w.here()+5)), 0)
		w.put(0x0f, 0x84)
		if err := w.reach(o.inst.End()); err != nil {
			return err
		}
		w.put(0xe9, uint32(o.behind-len(w.code)-1)) // to where the jump ends that came here
	}
	return nil
}

// original puts a call or a jump to another function that leads to the original.
func (w *writer) original(i *machine.Inst) error {
	to, direct := i.Target()
	if !direct {
		return w.arch.plain(w, i)
	}
	code := 0xe8
	if i.Op == x86asm.JMP {
		code = 0xe9
	}
	w.put(code)
	return w.reach(to)
}

// leadHere has a jump's displacement lead to what is put next.
func (c *Copier) leadHere(at int) {
	binary.LittleEndian.PutUint32(c.code[at:], uint32(len(c.code)-(at+4)))
}

// counterSize is how many bytes of a counter add to a word.
const counterSize = 7

// writeCounter writes the counter of a function, where its entry leads when it is not cold any more. It counts the entry, and
// goes on in the original, behind what the jump has taken the place of:
//
//	INCQ word
//	the first instructions
//	JMP to what follows them in the original
//
// Nothing at an entry uses flags. Threads that enter at once may count one entry for two: windows only need to know how many
// there are, not to the last one.
func (w *writer) writeCounter() error {
	if w.cold.counted == 0 {
		return nil
	}
	first := w.displaced()
	if first == nil || w.loops() {
		return nil
	}
	f := &w.cold.functions[w.cold.counted-1]
	f.Counter = uint32(len(w.code))
	w.origin(w.f.Lo, rt.Leading)
	w.put(0x48, 0xff, 0x05, uint32(w.cold.counts+uint64(w.cold.counted-1)*8-(w.here()+counterSize)))
	for _, i := range first {
		w.origin(i.PC, rt.Instruction)
		cc, ok := i.Condition()
		if !ok || !i.IsConditional() {
			if err := w.arch.plain(w, i); err != nil {
				return err
			}
			continue
		}
		to, _ := i.Target()
		w.put(0x0f, 0x80|cc)
		if err := w.reach(to); err != nil {
			return err
		}
	}
	over := first[len(first)-1].End()
	w.origin(over, rt.Leading)
	w.put(0xe9)
	return w.reach(over)
}

// loops reports whether a jump within the function leads to its entry, but for that behind the growth of the stack. A counter
// would count rounds.
func (w *writer) loops() bool {
	grown := false
	for _, i := range w.f.Insts {
		switch to, direct := i.Target(); {
		case i.IsCall():
			grown = strings.HasPrefix(i.Callee, "runtime.morestack")
		case direct && to == w.f.Lo && !grown:
			return true
		}
	}
	return false
}

// displaced returns the instructions that a jump at the entry takes the place of, nil if they cannot be elsewhere.
func (w *writer) displaced() (list []*machine.Inst) {
	for _, i := range w.f.Insts {
		_, direct := i.Target()
		_, condition := i.Condition()
		switch {
		case i.Vex:
		case i.IsConditional() && (!direct || !condition), i.IsCall(), i.Op == x86asm.JMP, i.Op == x86asm.RET,
			i.Kind == machine.Panics:
			return nil
		}
		if list = append(list, i); i.End() >= w.f.Lo+rt.LeadSize {
			break
		}
	}
	if len(list) == 0 || list[len(list)-1].End() < w.f.Lo+rt.LeadSize || list[len(list)-1].End() >= w.f.Hi {
		return nil
	}
	return list
}

// gap is how many pages without entries are taken along with those before and behind, rather than as another mapping.
const gap = 16

// AttachCold returns an executable with what it needs to begin cold behind it. Nothing of the program that is there changes but
// the variable of package rt/copies: the pages with jumps are mapped in the place of the text's. Functions with records fall
// where they have more than bound from tick to tick, all together.
func AttachCold(data []byte, c *Copied, targets []pathlog.Target, bound uint64) ([]byte, error) {
	if c.Flags == 0 {
		return data, nil
	}
	descriptors, err := find(data, rt.ColdMagic0, rt.ColdMagic1, rt.ColdWords)
	if err != nil {
		return nil, err
	}
	align := func(b []byte) []byte { return append(b, make([]byte, -len(b)&(pageSize-1))...) }
	text, err := textOf(data)
	if err != nil {
		return nil, err
	}
	plain := data[text.Off : text.Off+text.Filesz]
	led := bytes.Clone(plain)
	functions := bytes.NewBuffer(nil)
	var runs []rt.ColdRun
	var pages []uint64
	out := align(data)
	for _, fn := range c.Cold {
		at := uint64(fn.At) - text.Vaddr
		if at+8 > uint64(len(plain)) {
			return nil, fmt.Errorf("%#x is not in the text", fn.At)
		}
		fn.Entry = binary.LittleEndian.Uint64(plain[at:])
		led[at] = 0xe9
		binary.LittleEndian.PutUint32(led[at+1:], uint32(c.Base+uint64(fn.Copy)-(uint64(fn.At)+rt.LeadSize)))
		binary.Write(functions, binary.LittleEndian, fn)
		pages = append(pages, at&^(pageSize-1))
	}
	slices.Sort(pages)
	for _, at := range pages {
		if n := len(runs); n > 0 && at <= runs[n-1].At+runs[n-1].Size+gap*pageSize {
			runs[n-1].Size = max(runs[n-1].Size, at+pageSize-runs[n-1].At)
		} else {
			runs = append(runs, rt.ColdRun{At: at, Size: pageSize})
		}
	}
	for k := range runs {
		r := &runs[k]
		r.Plain, r.Led = text.Off+r.At, uint64(len(out))
		out = align(append(out, led[r.At:min(r.At+r.Size, uint64(len(led)))]...))
		r.At += text.Vaddr
	}
	exact := c.exact(targets)
	im := rt.ColdImage{
		Flags: c.Flags, Counts: c.counts, Bound: bound, Offset: uint64(len(out)),
		Exact: uint64(len(exact)), Functions: uint64(len(c.Cold)), Runs: uint64(len(runs)),
	}
	var image, tables bytes.Buffer
	binary.Write(&image, binary.LittleEndian, &im)
	binary.Write(&tables, binary.LittleEndian, runs)
	binary.Write(&tables, binary.LittleEndian, exact)
	for _, at := range descriptors {
		copy(out[at+16:], image.Bytes()[16:])
	}
	return append(append(out, functions.Bytes()...), tables.Bytes()...), nil
}

// exact returns the At of targets, in order, that are in functions only which begin cold.
func (c *Copied) exact(targets []pathlog.Target) (list []uint64) {
	warm := make(map[uint64]bool)
	last := uint32(0)
	for _, f := range append(slices.Clip(c.Cold), rt.ColdFunction{Target: uint32(len(targets))}) {
		for _, t := range targets[last:f.Target] {
			warm[t.At&^pathlog.Inlined] = true
		}
		last = f.Target + f.Targets
	}
	for _, f := range c.Cold {
		for _, t := range targets[f.Target : f.Target+f.Targets] {
			if at := t.At &^ pathlog.Inlined; !warm[at] {
				list = append(list, at)
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// textOf returns the segment that has code, which begins with a page in the file and in memory.
func textOf(data []byte) (*elf.Prog, error) {
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	text := f.Section(".text")
	if text == nil {
		return nil, errors.New("it has no text")
	}
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD && p.Vaddr <= text.Addr && text.Addr < p.Vaddr+p.Filesz {
			if p.Vaddr%pageSize != 0 || p.Off%pageSize != 0 {
				return nil, errors.New("its text does not begin with a page")
			}
			return p, nil
		}
	}
	return nil, errors.New("its text is in no segment")
}
