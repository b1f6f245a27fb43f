package link

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"

	rt "github.com/goprofinstr/goprofinstr/rt/copies"
	"github.com/goprofinstr/goprofinstr/rt/pathlog"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
)

// A program is an executable file in memory.
type program struct {
	data []byte
	file *elf.File

	unset []counted // packages whose descriptors have no addresses before they are initialized: none of their functions is counted
}

// A counted is a package of a program that has estimates.
type counted struct {
	id        string
	functions uint64 // address of the first
	n         int
	counters  uint64 // address of pair 0
	hashes    uint64 // address of hash table 0
	at        uint64 // address of the descriptor
	sampling  uint64 // address of what says how paths are sampled
}

// open reads an executable.
func open(data []byte) (*program, error) {
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	if f.Machine != elf.EM_X86_64 && f.Machine != elf.EM_AARCH64 {
		return nil, fmt.Errorf("it is for %v", f.Machine)
	}
	if f.Type != elf.ET_EXEC {
		return nil, fmt.Errorf("it is not at a fixed address, but of type %v, as -linkshared and -extldflags=-pie have it", f.Type)
	}
	return &program{data: data, file: f}, nil
}

// at returns the bytes of the file from an address on, up to the end of the section; nil if there are none.
func (p *program) at(address uint64) []byte {
	for _, s := range p.file.Sections {
		if s.Type == elf.SHT_PROGBITS && s.Flags&elf.SHF_ALLOC != 0 && address >= s.Addr && address < s.Addr+s.Size {
			return p.data[s.Offset+address-s.Addr : s.Offset+s.Size]
		}
	}
	return nil
}

// packages returns those that have registered themselves for copies. The compiler leaves addresses out of the data of
// crypto/internal/fips140 and the packages below it, since the program checks a sum of that data. They are noted as unset.
func (p *program) packages() (list []counted, err error) {
	magic := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, rt.PackageMagic0), rt.PackageMagic1)
	for _, s := range p.file.Sections {
		if s.Type != elf.SHT_PROGBITS || s.Flags&elf.SHF_WRITE == 0 {
			continue
		}
		data := p.data[s.Offset : s.Offset+s.Size]
		for i := bytes.Index(data, magic); i >= 0; i = bytes.Index(data, magic) {
			data = data[i:]
			if len(data) < 8*(2+rt.PackageWords) {
				break
			}
			c, err := p.describe(data)
			c.at, data = s.Addr+s.Size-uint64(len(data)), data[len(magic):]
			if err != nil {
				return nil, err
			}
			if c.functions == 0 && c.n > 0 {
				p.unset = append(p.unset, c)
				continue
			}
			list = append(list, c)
		}
	}
	return list, nil
}

// describe reads the words of a descriptor.
func (p *program) describe(words []byte) (c counted, err error) {
	var w [2 + rt.PackageWords]uint64
	for i := range w {
		w[i] = binary.LittleEndian.Uint64(words[8*i:])
	}
	c = counted{functions: w[4], n: int(w[5]), counters: w[6], hashes: w[7], sampling: w[9]}
	if w[2] == 0 && w[4] == 0 {
		return c, nil
	}
	path, list := p.at(w[2]), p.at(w[4])
	if uint64(len(path)) < w[3] || len(list)/functionSize < c.n {
		return c, errors.New("a descriptor of a package leads out of the program's data")
	}
	c.id = string(path[:w[3]])
	return c, nil
}

// functionSize is the size of an rt.Function.
const functionSize = 24

// function returns where the estimates are of a function with so many paths.
func (p *program) function(c *counted, k int, paths uint64) pathlog.Target {
	f := p.at(c.functions + uint64(k)*functionSize)
	if binary.LittleEndian.Uint64(f[8:]) == 0 {
		return pathlog.Target{At: c.hashes + binary.LittleEndian.Uint64(f[16:])*runfile.HashSize | pathlog.IsHash, Paths: paths}
	}
	return pathlog.Target{At: c.counters + binary.LittleEndian.Uint64(f)*16, Paths: paths}
}
