package link

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"slices"
	"strconv"
	"strings"
)

// Strip says what is to be taken from a program.
type Strip struct{ Symbols, DWARF bool }

// Arguments returns the linker's arguments without those that have it leave out symbols or DWARF, and what these leave out. DWARF
// is not compressed if it is going to be taken away. What follows -extldflags is for the external linker, and stays.
func Arguments(args []string) (list []string, strip Strip) {
	given := false // -w, without which -s decides
	for i, arg := range args {
		name, value, hasValue := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		external := i > 0 && strings.TrimLeft(args[i-1], "-") == "extldflags"
		on, err := strconv.ParseBool(value)
		if !hasValue {
			on, err = true, nil
		}
		if strings.HasPrefix(arg, "-") && !external && err == nil && (name == "s" || name == "w") {
			if name == "s" {
				strip.Symbols = on
			} else {
				strip.DWARF, given = on, true
			}
			if on {
				continue
			}
		}
		list = append(list, arg)
	}
	if !given {
		strip.DWARF = strip.Symbols
	}
	if strip.DWARF {
		list = slices.Insert(list, 0, "-compressdwarf=false")
	}
	return list, strip
}

// leavesOut reports whether a section that is not loaded is taken away. With symbols and DWARF all are.
func (s Strip) leavesOut(section *elf.Section) bool {
	switch {
	case strings.HasPrefix(section.Name, ".debug_") || strings.HasPrefix(section.Name, ".zdebug_"):
		return s.DWARF
	case section.Type == elf.SHT_SYMTAB || section.Name == ".strtab":
		return s.Symbols
	}
	return s.Symbols && s.DWARF
}

// stripped returns an executable without symbols, DWARF or both, as the linker makes one with -s and -w. They lie behind all that
// is loaded, as do other sections that are not. Of these the names of sections are left, and what is not taken away. Where
// symbols are left, sections that are taken away have empty headers: symbols say the numbers of their sections.
func stripped(data []byte, strip Strip) ([]byte, error) {
	if strip == (Strip{}) {
		return data, nil
	}
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	const headerSize = 64 // of a section
	var h elf.Header64
	if _, err := binary.Decode(data, binary.LittleEndian, &h); err != nil {
		return nil, err
	}
	loaded := h.Phoff + uint64(h.Phnum)*uint64(h.Phentsize)
	for _, p := range f.Progs {
		loaded = max(loaded, p.Off+p.Filesz)
	}
	end := h.Shoff + uint64(h.Shnum)*headerSize
	if end > loaded && h.Shoff < loaded {
		return nil, errors.New("its list of sections is not in what is loaded, nor behind it")
	}
	list := data[h.Shoff:end]
	text, err := f.Sections[h.Shstrndx].Data()
	if err != nil {
		return nil, err
	}
	var kept []byte
	out := append(bytes.Clone(data[:loaded]), text...)
	index, n := uint16(0), uint16(0)
	for i, s := range f.Sections {
		names := uint16(i) == h.Shstrndx
		header := bytes.Clone(list[i*headerSize : (i+1)*headerSize])
		behind := s.Type != elf.SHT_NULL && s.Flags&elf.SHF_ALLOC == 0 && !names && (s.Offset >= loaded || s.Size == 0)
		switch {
		case names:
			binary.LittleEndian.PutUint64(header[24:], loaded)
			index = n
		case behind && strip.leavesOut(s):
			if strip.Symbols {
				continue
			}
			clear(header)
		case behind && s.Type != elf.SHT_NOBITS:
			if s.Offset+s.FileSize > uint64(len(data)) {
				return nil, errors.New("section " + s.Name + " is not in the file")
			}
			out = append(out, make([]byte, -uint64(len(out))%max(s.Addralign, 1))...)
			binary.LittleEndian.PutUint64(header[24:], uint64(len(out)))
			out = append(out, data[s.Offset:s.Offset+s.FileSize]...)
		case s.Type != elf.SHT_NULL && s.Type != elf.SHT_NOBITS && s.Offset+s.FileSize > loaded:
			return nil, errors.New("section " + s.Name + " is not in what is loaded")
		}
		kept = append(kept, header...)
		n++
	}
	if end <= loaded {
		clear(out[h.Shoff:end])
		copy(out[h.Shoff:], kept)
	} else { // an external linker has put it at the end
		out = append(out, make([]byte, -len(out)&7)...)
		binary.LittleEndian.PutUint64(out[40:], uint64(len(out)))
		out = append(out, kept...)
	}
	binary.LittleEndian.PutUint16(out[60:], n)
	binary.LittleEndian.PutUint16(out[62:], index)
	return out, nil
}
