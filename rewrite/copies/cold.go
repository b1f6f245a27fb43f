package copies

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

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

// NewCold returns a copier for copies behind an address. Functions begin cold, up to most of them.
func NewCold(im *machine.Image, base uint64, most int) *Copier {
	const word = 8
	counts := base + uint64(most+word-1)&^(word-1)
	page := uint64(mapSizeOf(im.File.Machine))
	c := New(im, (counts+uint64(most*word)+page-1)&^(page-1))
	c.cold.base, c.cold.counts, c.cold.most = base, counts, most
	return c
}

// beginCold says that a copy is made of a function which may begin cold.
func (c *Copier) beginCold(f *machine.Function, plans []Counted) {
	k := &c.cold
	k.counted = 0
	const align = 16 // of copies
	if k.base == 0 || len(plans) == 0 || len(k.functions) == k.most || !MayLead(f) || !c.reaches(f.Lo, c.here()+align) {
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
	size := uint64(rt.LeadSizeAMD64)
	if m.Insts[0].Len == 0 { // it is for arm64
		size = rt.LeadSizeARM64
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

// callCold writes a call that returns. The function may be cold.
func (w *writer) callCold(i *machine.Inst) error {
	o := outside{inst: i}
	_, direct := i.Target()
	keeps := direct && w.arch.keepsFlags(i.Callee)
	if !keeps {
		o.before = w.arch.ask(w.Copier)
	}
	if err := w.arch.call(w, i); err != nil {
		return err
	}
	w.origin(i.End(), rt.Leading)
	if !keeps {
		w.returnsHere(i)
		o.behind = w.arch.ask(w.Copier)
		w.outside = append(w.outside, o)
	}
	return nil
}

// jumpCold writes a jump to another function.
func (w *writer) jumpCold(i *machine.Inst) error {
	w.outside = append(w.outside, outside{before: w.arch.ask(w.Copier), behind: -1, inst: i})
	return w.arch.call(w, i)
}

// writeOutside writes what is done outside of windows.
func (w *writer) writeOutside() error {
	for _, o := range w.outside {
		w.origin(o.inst.PC, rt.Instruction)
		if err := w.arch.lead(w.Copier, o.before, w.here()); err != nil {
			return err
		}
		if err := w.arch.original(w, o.inst); err != nil {
			return err
		}
		if o.behind < 0 {
			continue
		}
		w.origin(o.inst.End(), rt.Leading)
		if err := w.arch.lead(w.Copier, o.behind, w.here()); err != nil {
			return err
		}
		if err := w.behind(o); err != nil {
			return err
		}
	}
	return nil
}

// behind has a thread that comes back from a call stay if the function is cold, outside of windows.
func (w *writer) behind(o outside) error {
	if w.cold.counted == 0 {
		return w.arch.leave(w.Copier, o.inst.End())
	}
	const displacement = 4 // bytes: the jump that leads here ends with it
	return w.arch.stay(w.Copier, w.cold.base+uint64(w.cold.counted-1), o.behind+displacement, o.inst.End())
}

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
	if first == nil || w.loops() || !w.reaches(w.f.Lo, w.here()) {
		return nil
	}
	f := &w.cold.functions[w.cold.counted-1]
	f.Counter = uint32(len(w.code))
	w.origin(w.f.Lo, rt.Leading)
	if err := w.arch.count(w.Copier, w.cold.counts+uint64(w.cold.counted-1)*8); err != nil {
		return err
	}
	for _, i := range first {
		w.origin(i.PC, rt.Instruction)
		if err := w.arch.move(w, i); err != nil {
			return err
		}
	}
	over := first[len(first)-1].End()
	w.origin(over, rt.Leading)
	return w.arch.leave(w.Copier, over)
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
	to := w.f.Lo + w.arch.leadSize()
	for _, i := range w.f.Insts {
		if !w.arch.mayMove(i) {
			return nil
		}
		if list = append(list, i); i.End() >= to {
			break
		}
	}
	if len(list) == 0 || list[len(list)-1].End() < to || list[len(list)-1].End() >= w.f.Hi {
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
	if c.Flags == 0 || len(c.Cold) == 0 { // without functions there are no flags, and copies begin where flags would
		return data, nil
	}
	descriptors, err := find(data, rt.ColdMagic0, rt.ColdMagic1, rt.ColdWords)
	if err != nil {
		return nil, err
	}
	size := mapSize(data)
	align := func(b []byte) []byte { return append(b, make([]byte, -len(b)&(size-1))...) }
	text, err := textOf(data)
	if err != nil {
		return nil, err
	}
	plain := data[text.Off : text.Off+text.Filesz]
	led := bytes.Clone(plain)
	page := uint64(size)
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
		c.arch.putLead(led[at:], uint64(fn.At), c.Base+uint64(fn.Copy))
		binary.Write(functions, binary.LittleEndian, fn)
		pages = append(pages, at&^(page-1))
	}
	slices.Sort(pages)
	for _, at := range pages {
		if n := len(runs); n > 0 && at <= runs[n-1].At+runs[n-1].Size+gap*page {
			runs[n-1].Size = max(runs[n-1].Size, at+page-runs[n-1].At)
		} else {
			runs = append(runs, rt.ColdRun{At: at, Size: page})
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
		Flags: c.Flags, Counts: c.Counts, Bound: bound, Offset: uint64(len(out)),
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
			if page := uint64(mapSize(data)); p.Vaddr%page != 0 || p.Off%page != 0 {
				return nil, errors.New("its text does not begin with a page")
			}
			return p, nil
		}
	}
	return nil, errors.New("its text is in no segment")
}
