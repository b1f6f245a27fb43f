package machine

import (
	"cmp"
	"debug/dwarf"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
)

// dwarfSections are the sections of DWARF that are read. Package elf would read all, and decompress them.
var dwarfSections = []string{"abbrev", "info", "str", "line", "ranges", "addr", "line_str", "str_offsets", "rnglists"}

// loadDWARF returns what is known of the code of a program. Info is the section that has its entries.
func loadDWARF(f *elf.File) (d *dwarf.Data, info []byte, err error) {
	sections := make(map[string][]byte)
	data, errs := make([][]byte, len(dwarfSections)), make([]error, len(dwarfSections))
	InParallel(len(dwarfSections), func() func(k int) {
		return func(k int) {
			if s := f.Section(".debug_" + dwarfSections[k]); s != nil {
				data[k], errs[k] = s.Data()
			}
		}
	})
	if err := errors.Join(errs...); err != nil {
		return nil, nil, err
	}
	for k, name := range dwarfSections {
		sections[name] = data[k]
	}
	if sections["info"] == nil {
		return nil, nil, errors.New("it has no DWARF")
	}
	d, err = dwarf.New(sections["abbrev"], nil, nil, sections["info"], sections["line"], nil, sections["ranges"], sections["str"])
	if err != nil {
		return nil, nil, err
	}
	for _, name := range dwarfSections[5:] {
		if err := d.AddSection(".debug_"+name, sections[name]); err != nil {
			return nil, nil, err
		}
	}
	return d, sections["info"], nil
}

// unitsOf returns where the first entries of compilation units are. Package dwarf has parsed their headers without error. (DWARF
// 5, section 7.5.1.)
func unitsOf(info []byte) (list []dwarf.Offset, err error) {
	order := binary.LittleEndian
	for at := 0; at+12 <= len(info); {
		word, length := 4, uint64(order.Uint32(info[at:])) // the size of lengths and offsets
		if length == 0xffffffff {
			word, length = 8, order.Uint64(info[at+4:])
		}
		header := at + 4 + 2*(word-4) // behind the length
		if length > uint64(len(info)-header) || length < uint64(3+word) {
			return nil, errors.New("a compilation unit ends too early")
		}
		first, end := header+3+word, header+int(length) // behind version, offset of abbreviations, size of addresses
		const compile, partial = 1, 3                   // kinds of units; C code may have others, whose headers are longer
		if order.Uint16(info[header:]) < 5 {
			list = append(list, dwarf.Offset(first))
		} else if kind := info[header+2]; kind == compile || kind == partial {
			list = append(list, dwarf.Offset(first+1))
		}
		at = end
	}
	return list, nil
}

// A reading of DWARF is for an image.
type reading struct {
	im       *Image
	isWanted func(string) bool
	ours     func(string) bool
	begin    []uint64        // where functions begin that are asked for, in order
	folders  map[string]bool // of files that functions are from which are asked for

	entries  *dwarf.Reader
	names    *dwarf.Reader
	abstract map[dwarf.Offset]string // names of the functions that entries refer to, as far as they are known
	known    map[string]bool         // whether names are asked for, as far as that is known: few names occur often
}

// clone returns a reading that reads beside this one.
func (r *reading) clone() *reading {
	c := *r
	c.entries, c.names = r.im.dwarf.Reader(), r.im.dwarf.Reader()
	c.abstract, c.known = make(map[dwarf.Offset]string), make(map[string]bool)
	return &c
}

// wanted reports whether a function is asked for, by its name.
func (r *reading) wanted(name string) bool {
	is, ok := r.known[name]
	if !ok {
		is = r.isWanted(name)
		r.known[name] = is
	}
	return is
}

// readDWARF reads the functions, and the line tables of the units that they are in. Most units have nothing that is asked for,
// and their entries take long to read. One is read if a symbol says that it has a function that is asked for, or if its line
// table names a file from a folder of such functions: they may have been inlined.
func (im *Image) readDWARF(info []byte, wanted, ours func(string) bool) error {
	r := (&reading{im: im, isWanted: wanted, ours: ours, folders: make(map[string]bool)}).clone()
	units, err := r.open(info)
	if err != nil {
		return err
	}
	units = slices.DeleteFunc(units, func(u *unit) bool { return !u.begins() && !u.isNear() })
	errs := make([]error, len(units))
	InParallel(len(units), func() func(k int) {
		own := r.clone()
		return func(k int) {
			units[k].reading = own
			errs[k] = units[k].read()
		}
	})
	for _, u := range units {
		im.Funcs = append(im.Funcs, u.functions...)
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	slices.SortStableFunc(im.rows, func(a, b row) int { return cmp.Compare(a.pc, b.pc) })
	return nil
}

// open finds the units, where their code is, and in which folders files are that are asked for.
func (r *reading) open(info []byte) (units []*unit, err error) {
	offsets, err := unitsOf(info)
	if err != nil {
		return nil, err
	}
	for _, at := range offsets {
		u, err := r.unit(at)
		if err != nil {
			return nil, err
		}
		units = append(units, u)
	}
	slices.SortFunc(r.im.units, func(a, b codeUnit) int { return cmp.Compare(a.lo, b.lo) })
	for _, s := range r.im.symbols {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC && r.wanted(s.Name) {
			r.begin = append(r.begin, s.Value)
		}
	}
	slices.Sort(r.begin)
	for _, u := range units {
		if err := u.readLines(); err != nil {
			return nil, err
		}
	}
	return units, nil
}

// A unit is a compilation unit.
type unit struct {
	*reading
	entry  *dwarf.Entry
	ranges [][2]uint64
	files  []*dwarf.LineFile
	ours   []uint64 // where rows begin that are of files which are asked for

	functions []*Function // that have been read
}

// unit reads the first entry of a unit.
func (r *reading) unit(at dwarf.Offset) (*unit, error) {
	r.entries.Seek(at)
	e, err := r.entries.Next()
	if err != nil {
		return nil, err
	}
	if e == nil || e.Tag != dwarf.TagCompileUnit && e.Tag != dwarf.TagPartialUnit {
		return nil, fmt.Errorf("no compilation unit at %#x of its entries", at)
	}
	u := &unit{reading: r, entry: e}
	if u.ranges, err = r.im.dwarf.Ranges(e); err != nil {
		return nil, err
	}
	name, _ := e.Val(dwarf.AttrName).(string)
	for _, g := range u.ranges {
		r.im.units = append(r.im.units, codeUnit{g[0], g[1], name})
	}
	return u, nil
}

// begins reports whether a function begins in the unit that is asked for.
func (u *unit) begins() bool {
	for _, g := range u.ranges {
		if k, _ := slices.BinarySearch(u.begin, g[0]); k < len(u.begin) && u.begin[k] < g[1] {
			return true
		}
	}
	return false
}

// isOurs reports whether the line table has a file that is asked for.
func (u *unit) isOurs() bool {
	return slices.ContainsFunc(u.files, func(f *dwarf.LineFile) bool { return f != nil && u.reading.ours(f.Name) })
}

// isNear reports whether the line table has a file of a folder of what is asked for.
func (u *unit) isNear() bool {
	return slices.ContainsFunc(u.files, func(f *dwarf.LineFile) bool { return f != nil && u.folders[path.Dir(f.Name)] })
}

// readLines reads the unit's line table, if it may have lines that are asked for.
func (u *unit) readLines() error {
	lr, err := u.im.dwarf.LineReader(u.entry)
	if err != nil || lr == nil {
		return err
	}
	u.files = lr.Files()
	if !u.isOurs() && !u.begins() {
		return nil
	}
	of := make(map[*dwarf.LineFile]bool) // whether a file is asked for
	for _, f := range u.files {
		if f != nil && u.reading.ours(f.Name) {
			of[f] = true
			u.folders[path.Dir(f.Name)] = true
		}
	}
	var rows []row
	for {
		var le dwarf.LineEntry
		if err := lr.Next(&le); err == io.EOF {
			break
		} else if err != nil {
			return err
		}
		r := row{pc: le.Address}
		if of[le.File] {
			r.file, r.line = le.File.Name, le.Line
			u.ours = append(u.ours, r.pc)
		}
		if _, begins := slices.BinarySearch(u.begin, r.pc); begins && le.File != nil {
			u.folders[path.Dir(le.File.Name)] = true
		}
		rows = append(rows, r)
	}
	if u.ours != nil {
		u.im.rows = append(u.im.rows, rows...)
	}
	slices.Sort(u.ours)
	return nil
}

// has reports whether some instruction of a function is from a file that is asked for.
func (u *unit) has(f *Function) bool {
	k, _ := slices.BinarySearch(u.ours, f.Lo)
	return k < len(u.ours) && u.ours[k] < f.Hi
}

// read reads the functions of the unit.
func (u *unit) read() error {
	r := u.entries
	r.Seek(u.entry.Offset)
	if _, err := r.Next(); err != nil || !u.entry.Children {
		return err
	}
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
					u.functions = append(u.functions, f)
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
					u.functions = append(u.functions, f)
					f = nil
				}
			}
		case dwarf.TagInlinedSubroutine:
			if s, err = u.inlined(e, stack); err != nil {
				return err
			}
			some = some || u.wanted(s.Name)
		}
		if e.Children {
			stack = append(stack, s)
		}
	}
}

// inlined returns the scope of an inlined call, which is then a child of the innermost scope of the stack.
func (u *unit) inlined(e *dwarf.Entry, stack []*Scope) (*Scope, error) {
	s, err := u.scope(e)
	if err != nil {
		return nil, err
	}
	file, _ := e.Val(dwarf.AttrCallFile).(int64)
	line, _ := e.Val(dwarf.AttrCallLine).(int64)
	if 0 <= file && int(file) < len(u.files) && u.files[file] != nil {
		s.CallFile = u.files[file].Name
	}
	s.CallLine = int(line)
	for _, outer := range slices.Backward(stack) {
		if outer != nil {
			outer.Children = append(outer.Children, s)
			s.Parent = outer
			break
		}
	}
	return s, nil
}

func (u *unit) scope(e *dwarf.Entry) (s *Scope, err error) {
	s = new(Scope)
	s.Name, _ = e.Val(dwarf.AttrName).(string)
	if o, ok := e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset); ok {
		if s.Name, err = u.nameAt(o); err != nil {
			return nil, err
		}
	}
	s.ranges, err = u.im.dwarf.Ranges(e)
	return s, err
}

// nameAt returns the name of the function that an entry at an offset is.
func (r *reading) nameAt(at dwarf.Offset) (string, error) {
	name, ok := r.abstract[at]
	if !ok {
		r.names.Seek(at)
		e, err := r.names.Next()
		if err != nil {
			return "", err
		}
		if e != nil && e.Tag == dwarf.TagSubprogram {
			name, _ = e.Val(dwarf.AttrName).(string)
		}
		r.abstract[at] = name
	}
	return name, nil
}
