package link

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
)

// leavesOut are the arguments of the linker, without dashes, that have it leave out symbols or DWARF.
var leavesOut = []string{"s", "w", "s=true", "w=true", "s=1", "w=1"}

// Arguments returns the linker's arguments without those that have it leave out symbols and DWARF, and reports whether there were
// any. These are not compressed if they are going to be taken away. What follows -extldflags is for the external linker, and
// stays.
func Arguments(args []string) (list []string, strip bool) {
	for i, arg := range args {
		name := strings.TrimLeft(arg, "-")
		external := i > 0 && strings.TrimLeft(args[i-1], "-") == "extldflags"
		if name != arg && !external && slices.Contains(leavesOut, name) {
			strip = true
			continue
		}
		list = append(list, arg)
	}
	if strip {
		list = slices.Insert(list, 0, "-compressdwarf=false")
	}
	return list, strip
}

// stripped returns an executable without symbols and DWARF, as the linker makes one with -s. Both lie behind all that is
// loaded, as do other sections that are not. Of these only the names of sections are left.
func stripped(data []byte) ([]byte, error) {
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
	index, n := uint16(0), uint16(0)
	for i, s := range f.Sections {
		names := uint16(i) == h.Shstrndx
		if s.Type != elf.SHT_NULL && s.Flags&elf.SHF_ALLOC == 0 && !names && (s.Offset >= loaded || s.Size == 0) {
			continue
		}
		header := bytes.Clone(list[i*headerSize : (i+1)*headerSize])
		if names {
			binary.LittleEndian.PutUint64(header[24:], loaded)
			index = n
		} else if s.Type != elf.SHT_NULL && s.Type != elf.SHT_NOBITS && s.Offset+s.FileSize > loaded {
			return nil, errors.New("section " + s.Name + " is not in what is loaded")
		}
		kept = append(kept, header...)
		n++
	}
	out := append(bytes.Clone(data[:loaded]), text...)
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
