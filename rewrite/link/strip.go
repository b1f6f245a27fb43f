package link

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
)

// Arguments returns the linker's arguments without those that have it leave out symbols and DWARF, and reports whether there were
// any. These are not compressed if they are going to be taken away.
func Arguments(args []string) (list []string, strip bool) {
	for _, arg := range args {
		switch strings.TrimLeft(arg, "-") {
		case "s", "w", "s=true", "w=true", "s=1", "w=1":
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

// stripped returns an executable without symbols and DWARF, as the linker makes one with -s. Both lie behind all that is loaded.
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
	if end := h.Shoff + uint64(h.Shnum)*headerSize; end > loaded {
		return nil, errors.New("its list of sections is not in what is loaded")
	}
	list := data[h.Shoff : h.Shoff+uint64(h.Shnum)*headerSize]
	names := f.Sections[h.Shstrndx]
	text, err := names.Data()
	if err != nil {
		return nil, err
	}
	var kept []byte
	index, n := uint16(0), uint16(0)
	for i, s := range f.Sections {
		if symbols := s.Type == elf.SHT_SYMTAB || s.Name == ".strtab"; symbols || strings.HasPrefix(s.Name, ".debug_") ||
			strings.HasPrefix(s.Name, ".zdebug_") {
			continue
		}
		header := bytes.Clone(list[i*headerSize : (i+1)*headerSize])
		if uint16(i) == h.Shstrndx {
			binary.LittleEndian.PutUint64(header[24:], loaded)
			index = n
		} else if s.Type != elf.SHT_NULL && s.Type != elf.SHT_NOBITS && s.Offset+s.FileSize > loaded {
			return nil, errors.New("section " + s.Name + " is not in what is loaded")
		}
		kept = append(kept, header...)
		n++
	}
	out := append(bytes.Clone(data[:loaded]), text...)
	clear(out[h.Shoff : h.Shoff+uint64(len(list))])
	copy(out[h.Shoff:], kept)
	binary.LittleEndian.PutUint16(out[60:], n)
	binary.LittleEndian.PutUint16(out[62:], index)
	return out, nil
}
