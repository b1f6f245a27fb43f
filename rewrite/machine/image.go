package machine

import (
	"debug/dwarf"
	"debug/elf"
	"fmt"
	"sort"
	"strings"
)

// An Image is an executable file.
type Image struct {
	File  *elf.File
	Names map[uint64]string // of functions, by address
	Funcs []*Function

	Barrier uint64 // address of the flag that write barriers are on

	arch         arch
	atomics      uint64 // address of the flag that the processor has atomic instructions, which programs for arm64 ask
	text, rodata section
	goText       uint64 // where Go code begins in the text: an external linker puts C code in front of it
	rows         []row
	symbols      []elf.Symbol
	dwarf        *dwarf.Data
	units        []codeUnit // by address
	room         room
}

type section struct {
	data []byte
	base uint64
}

// at returns what is at an address, nil if that is elsewhere.
func (s section) at(address uint64) []byte {
	if address < s.base || address >= s.base+uint64(len(s.data)) {
		return nil
	}
	return s.data[address-s.base:]
}

// A row is one of the line table: where a line begins. The file is "" and the line 0 in files that are not asked for.
type row struct {
	pc   uint64
	file string
	line int
}

// A Scope is a function, or a call of one that was inlined.
type Scope struct {
	Name     string
	CallFile string // of an inlined call
	CallLine int
	Parent   *Scope
	Children []*Scope
	ranges   [][2]uint64
}

// A Function is one of the program.
type Function struct {
	Name   string
	Lo, Hi uint64
	Root   *Scope // nil for those that only Text returns
	Insts  []*Inst
	Blocks []*Block

	Package  string // as Text says it, "" if it is not known
	Assembly bool   // as Text says it

	shelves []*shelf // that its instructions are in, if it is decoded for a short time
}

// Open reads an executable. Its functions are those for which wanted is true, and those that have inlined calls of such. So
// are those with code from files that ours is true for: closures are copied with functions that are inlined elsewhere. The
// image's positions are those in files that ours is true for.
func Open(name string, wanted, ours func(string) bool) (*Image, error) {
	f, err := elf.Open(name)
	if err != nil {
		return nil, err
	}
	im, err := read(f, wanted, ours)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return im, nil
}

// read is Open for a file that is open, and stays so: the image reads more of it later.
func read(f *elf.File, wanted, ours func(string) bool) (*Image, error) {
	im := &Image{File: f, Names: make(map[uint64]string)}
	im.arch = architectures[f.Machine]
	if im.arch == nil || f.Type != elf.ET_EXEC {
		return nil, fmt.Errorf("it is for %v, type %v", f.Machine, f.Type)
	}
	for s, to := range map[string]*section{".text": &im.text, ".rodata": &im.rodata} {
		sec := f.Section(s)
		if sec == nil {
			return nil, fmt.Errorf("no section %s", s)
		}
		var err error
		if to.data, err = sec.Data(); err != nil {
			return nil, fmt.Errorf("section %s: %w", s, err)
		}
		to.base = sec.Addr
	}
	if err := im.readSymbols(); err != nil {
		return nil, err
	}
	d, info, err := loadDWARF(f)
	if err != nil {
		return nil, err
	}
	im.dwarf = d
	return im, im.readDWARF(info, wanted, ours)
}

// readSymbols reads the symbols, and notes the addresses of some.
func (im *Image) readSymbols() error {
	syms, err := im.File.Symbols()
	if err != nil {
		return err
	}
	im.symbols, im.goText = syms, im.text.base
	for _, s := range syms {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC {
			im.Names[s.Value] = s.Name
		}
		switch s.Name {
		case "runtime.writeBarrier":
			im.Barrier = s.Value
		case "runtime.arm64HasATOMICS":
			im.atomics = s.Value
		case "runtime.text":
			im.goText = s.Value
		}
	}
	return nil
}

// GOARCH returns the name that Go has for the architecture.
func (im *Image) GOARCH() string {
	if im.File.Machine == elf.EM_AARCH64 {
		return "arm64"
	}
	return "amd64"
}

// architectures are those whose instructions are decoded.
var architectures = map[elf.Machine]arch{elf.EM_X86_64: amd64{}, elf.EM_AARCH64: arm64{}}

// Address returns the address of a function.
func (im *Image) Address(name string) (uint64, bool) {
	for a, n := range im.Names {
		if n == name {
			return a, true
		}
	}
	return 0, false
}

// row returns where an instruction is from, a row without file if that is not asked for.
func (im *Image) row(pc uint64) row {
	i := sort.Search(len(im.rows), func(i int) bool { return im.rows[i].pc > pc })
	if i == 0 {
		return row{}
	}
	return im.rows[i-1]
}

// chain appends the inlined calls that pc is in, the outermost first.
func (s *Scope) chain(pc uint64, to []*Scope) []*Scope {
	for _, c := range s.Children {
		for _, r := range c.ranges {
			if r[0] <= pc && pc < r[1] {
				return c.chain(pc, append(to, c))
			}
		}
	}
	return to
}

// neverReturns reports whether calls of a function of the runtime do not return.
func neverReturns(name string) bool {
	switch name {
	case "runtime.gopanic", "runtime.sigpanic", "runtime.goexit":
		return true
	}
	for _, p := range []string{"runtime.panic", "runtime.goPanic", "runtime.throw", "runtime.fatal", "runtime.unreachable"} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}
