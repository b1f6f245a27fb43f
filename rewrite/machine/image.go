package machine

import (
	"debug/dwarf"
	"debug/elf"
	"fmt"
	"io"
	"slices"
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
	rows         []row
	symbols      []elf.Symbol
	dwarf        *dwarf.Data
	units        []codeUnit // by address
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
}

// Open reads an executable. Its functions are those for which wanted is true, and those that have inlined calls of such. So
// are those with code from files that ours is true for: closures are copied with functions that are inlined elsewhere. The
// image's positions are those in files that ours is true for.
func Open(name string, wanted, ours func(string) bool) (*Image, error) {
	f, err := elf.Open(name)
	if err != nil {
		return nil, err
	}
	im := &Image{File: f, Names: make(map[uint64]string)}
	im.arch = architectures[f.Machine]
	if im.arch == nil || f.Type != elf.ET_EXEC {
		return nil, fmt.Errorf("%s: it is for %v, type %v", name, f.Machine, f.Type)
	}
	for s, to := range map[string]*section{".text": &im.text, ".rodata": &im.rodata} {
		sec := f.Section(s)
		if sec == nil {
			return nil, fmt.Errorf("%s: no section %s", name, s)
		}
		if to.data, err = sec.Data(); err != nil {
			return nil, err
		}
		to.base = sec.Addr
	}
	syms, err := f.Symbols()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	im.symbols = syms
	for _, s := range syms {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC {
			im.Names[s.Value] = s.Name
		}
		switch s.Name {
		case "runtime.writeBarrier":
			im.Barrier = s.Value
		case "runtime.arm64HasATOMICS":
			im.atomics = s.Value
		}
	}
	d, err := f.DWARF()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	im.dwarf = d
	return im, im.readDWARF(d, wanted, ours)
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

func (im *Image) readDWARF(d *dwarf.Data, wanted, ours func(string) bool) error {
	abstract, err := im.names(d)
	if err != nil {
		return err
	}
	r := d.Reader()
	for {
		e, err := r.Next()
		if err != nil || e == nil {
			sort.SliceStable(im.rows, func(i, j int) bool { return im.rows[i].pc < im.rows[j].pc })
			return err
		}
		if e.Tag != dwarf.TagCompileUnit {
			r.SkipChildren()
			continue
		}
		before := len(im.rows)
		files, err := im.lines(d, e, ours)
		if err != nil {
			return err
		}
		u := unit{im: im, data: d, abstract: abstract, wanted: wanted, files: files, ours: places(im.rows[before:])}
		if err := u.read(r); err != nil {
			return err
		}
	}
}

// names returns the names of the functions that entries refer to, and finds where the code of packages is.
func (im *Image) names(d *dwarf.Data) (map[dwarf.Offset]string, error) {
	abstract := make(map[dwarf.Offset]string)
	r := d.Reader()
	for {
		e, err := r.Next()
		if err != nil {
			return nil, err
		}
		if e == nil {
			slices.SortFunc(im.units, func(a, b codeUnit) int { return int(a.lo) - int(b.lo) })
			return abstract, nil
		}
		switch e.Tag {
		case dwarf.TagCompileUnit:
			if err := im.addUnit(d, e); err != nil {
				return nil, err
			}
		case dwarf.TagSubprogram:
			if n, ok := e.Val(dwarf.AttrName).(string); ok {
				abstract[e.Offset] = n
			}
			r.SkipChildren()
		}
	}
}

// lines reads the line table of a compilation unit, and returns its files.
func (im *Image) lines(d *dwarf.Data, unit *dwarf.Entry, ours func(string) bool) ([]*dwarf.LineFile, error) {
	lr, err := d.LineReader(unit)
	if err != nil || lr == nil {
		return nil, err
	}
	var le dwarf.LineEntry
	var rows []row
	some := false
	for {
		if err := lr.Next(&le); err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		r := row{pc: le.Address}
		if le.File != nil && ours(le.File.Name) {
			r.file, r.line, some = le.File.Name, le.Line, true
		}
		rows = append(rows, r)
	}
	if some {
		im.rows = append(im.rows, rows...)
	}
	return lr.Files(), nil
}

// row returns where an instruction is from, a row without file if that is not asked for.
func (im *Image) row(pc uint64) row {
	i := sort.Search(len(im.rows), func(i int) bool { return im.rows[i].pc > pc })
	if i == 0 {
		return row{}
	}
	return im.rows[i-1]
}

// A unit is a compilation unit that is being read.
type unit struct {
	im       *Image
	data     *dwarf.Data
	abstract map[dwarf.Offset]string
	wanted   func(string) bool
	files    []*dwarf.LineFile
	ours     []uint64 // where rows begin that are of files which are asked for
}

// places returns where rows of files begin, in order.
func places(rows []row) (list []uint64) {
	for _, r := range rows {
		if r.file != "" {
			list = append(list, r.pc)
		}
	}
	slices.Sort(list)
	return list
}

// has reports whether some instruction of a function is from a file that is asked for.
func (u *unit) has(f *Function) bool {
	k, _ := slices.BinarySearch(u.ours, f.Lo)
	return k < len(u.ours) && u.ours[k] < f.Hi
}

// read reads the functions of the unit.
func (u *unit) read(r *dwarf.Reader) error {
	var stack []*Scope // nil for what is no scope
	var f *Function    // the one that is being read
	var some bool      // is wanted, or a call in it
	for {
		e, err := r.Next()
		if err != nil || e == nil {
			return err
		}
		if e.Tag == 0 {
			if len(stack) == 0 {
				return nil
			}
			stack = stack[:len(stack)-1]
			if len(stack) == 0 && f != nil {
				if some {
					u.im.Funcs = append(u.im.Funcs, f)
				}
				f = nil
			}
			continue
		}
		var s *Scope
		switch e.Tag {
		case dwarf.TagSubprogram:
			if s, err = u.scope(e); err != nil {
				return err
			}
			if len(s.ranges) == 1 {
				f = &Function{Name: s.Name, Lo: s.ranges[0][0], Hi: s.ranges[0][1], Root: s}
				some = u.wanted(s.Name) || u.has(f)
				if !e.Children && some {
					u.im.Funcs = append(u.im.Funcs, f)
					f = nil
				}
			}
		case dwarf.TagInlinedSubroutine:
			if s, err = u.scope(e); err != nil {
				return err
			}
			file, _ := e.Val(dwarf.AttrCallFile).(int64)
			line, _ := e.Val(dwarf.AttrCallLine).(int64)
			if 0 <= file && int(file) < len(u.files) && u.files[file] != nil {
				s.CallFile = u.files[file].Name
			}
			s.CallLine = int(line)
			for i := len(stack) - 1; i >= 0; i-- {
				if stack[i] != nil {
					stack[i].Children = append(stack[i].Children, s)
					s.Parent = stack[i]
					break
				}
			}
			some = some || u.wanted(s.Name)
		}
		if e.Children {
			stack = append(stack, s)
		}
	}
}

func (u *unit) scope(e *dwarf.Entry) (s *Scope, err error) {
	s = new(Scope)
	s.Name, _ = e.Val(dwarf.AttrName).(string)
	if o, ok := e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset); ok {
		s.Name = u.abstract[o]
	}
	s.ranges, err = u.data.Ranges(e)
	return s, err
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
