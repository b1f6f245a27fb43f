package patch

import (
	"bytes"
	"debug/elf"
	"debug/gosym"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sort"

	"github.com/goprofinstr/goprofinstr/rt/native"
)

// A program is an executable file in memory.
type program struct {
	data  []byte
	file  *elf.File
	text  *elf.Section
	funcs []gosym.Func // by address, once locate has been called
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
	// The table has distances from where the Go code begins, which locate finds out.
	syms, err := gosym.NewTable(nil, gosym.NewLineTable(table, 0))
	if err != nil {
		return nil, err
	}
	p.funcs = syms.Funcs
	return p, nil
}

// locate makes addresses of the entries in the list of functions, given a function value of package rt's (native.Image). With
// an external linker C code lies in the section in front of the Go code.
func (p *program) locate(value uint64) error {
	pointer := p.at(value)
	i := slices.IndexFunc(p.funcs, func(f gosym.Func) bool { return f.Name == native.ImageHere })
	if len(pointer) < 8 || i < 0 {
		return errors.New("its table of functions does not tell where its Go code begins")
	}
	begin := binary.LittleEndian.Uint64(pointer) - p.funcs[i].Entry
	if begin < p.text.Addr || begin >= p.text.Addr+p.text.Size {
		return fmt.Errorf("its Go code begins at %#x, which is not in its text", begin)
	}
	for i := range p.funcs {
		p.funcs[i].Entry += begin
		p.funcs[i].End += begin
	}
	return nil
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
