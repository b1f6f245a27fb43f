package patch

import (
	"bytes"
	"debug/elf"
	"debug/gosym"
	"encoding/binary"
	"errors"
	"fmt"
	"sort"
)

// A program is an executable file in memory.
type program struct {
	data  []byte
	file  *elf.File
	text  *elf.Section
	funcs []gosym.Func // by address
}

// openProgram reads an executable.
func openProgram(data []byte) (*program, error) {
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	p := &program{data: data, file: f, text: f.Section(".text")}
	switch {
	case f.Machine != elf.EM_X86_64:
		return nil, fmt.Errorf("it is for %v", f.Machine)
	case f.Type != elf.ET_EXEC:
		return nil, errors.New("it is position-independent")
	case p.text == nil || p.text.Offset+p.text.Size > uint64(len(data)):
		return nil, errors.New("it has no text")
	}
	lines := f.Section(".gopclntab")
	if lines == nil {
		return nil, errors.New("it has no table of functions")
	}
	table, err := lines.Data()
	if err != nil {
		return nil, err
	}
	syms, err := gosym.NewTable(nil, gosym.NewLineTable(table, p.text.Addr))
	if err != nil {
		return nil, err
	}
	p.funcs = syms.Funcs
	return p, nil
}

// at returns the bytes of the file from an address on, up to the end of the section.
func (p *program) at(address uint64) []byte {
	for _, s := range p.file.Sections {
		if s.Type == elf.SHT_PROGBITS && s.Flags&elf.SHF_ALLOC != 0 && address >= s.Addr && address < s.Addr+s.Size {
			return p.data[s.Offset+address-s.Addr : s.Offset+s.Size]
		}
	}
	return nil
}

// function returns the bounds of the function that has an address.
func (p *program) function(address uint64) (entry, end uint64, ok bool) {
	i := sort.Search(len(p.funcs), func(i int) bool { return p.funcs[i].Entry > address }) - 1
	if i < 0 || address >= p.funcs[i].End {
		return 0, 0, false
	}
	return p.funcs[i].Entry, p.funcs[i].End, true
}

// descriptors returns what stands behind each occurrence of a magic number in the initialised data: structures of so many words.
func (p *program) descriptors(magic [2]uint64, words int) (found []descriptor) {
	var needle []byte
	for _, m := range magic {
		needle = binary.LittleEndian.AppendUint64(needle, m)
	}
	for _, s := range p.file.Sections {
		if s.Type != elf.SHT_PROGBITS || s.Flags&elf.SHF_WRITE == 0 {
			continue
		}
		data := p.data[s.Offset : s.Offset+s.Size]
		for start := 0; ; {
			i := bytes.Index(data[start:], needle)
			if i < 0 {
				break
			}
			start += i
			if body := data[start+len(needle):]; len(body) >= 8*words {
				found = append(found, body[:8*words])
			}
			start += len(needle)
		}
	}
	return found
}

// A descriptor is a structure of words in the file.
type descriptor []byte

func (d descriptor) word(i int) uint64       { return binary.LittleEndian.Uint64(d[8*i:]) }
func (d descriptor) setWord(i int, v uint64) { binary.LittleEndian.PutUint64(d[8*i:], v) }
