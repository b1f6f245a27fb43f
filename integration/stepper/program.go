package main

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
)

// logAddress is where the log is mapped, and logSize how large it may be: the file has no more blocks than are written.
const (
	logAddress = 0x10_0000_0000
	logSize    = 24 << 30
)

// begin returns a copier for a program. Its code goes behind what the program maps. The word at its beginning is the end of the
// log.
func begin(f *elf.File) *copier {
	var top uint64
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD {
			top = max(top, p.Vaddr+p.Memsz)
		}
	}
	c := &copier{base: (top + 1<<20) &^ (1<<20 - 1), sites: make([]site, 1), patch: make(map[uint64]uint64), data: make(map[uint64]uint64)}
	c.put(uint64(logAddress))
	return c
}

// start puts what the program begins with. It sets what the system has for a random number, from which the runtime makes all of
// its own. It maps the log, if there is one. start returns the address of what it has put.
func (c *copier) start(log string, entry uint64) uint64 {
	name := c.here()
	c.put([]byte(log), 0)
	at := c.here()
	c.put(0x48, 0x8b, 0x0c, 0x24, 0x48, 0x8d, 0x74, 0xcc, 0x10)                                    // MOVQ (SP), CX; LEAQ 16(SP)(CX*8), SI: the environment
	c.put(0x48, 0x8b, 0x06, 0x48, 0x83, 0xc6, 0x08, 0x48, 0x85, 0xc0, 0x75, 0xf4)                  // behind its end
	c.put(0x48, 0x8b, 0x06, 0x48, 0x83, 0xf8, 0x19, 0x74, 0x0b)                                    // is AT_RANDOM,
	c.put(0x48, 0x83, 0xc6, 0x10, 0x48, 0x85, 0xc0, 0x75, 0xee, 0xeb, 0x15)                        // or another,
	c.put(0x48, 0x8b, 0x7e, 0x08, 0x48, 0xb8, uint64(1), 0x48, 0x89, 0x07, 0x48, 0x89, 0x47, 0x08) // which has 16 bytes
	if log != "" {
		c.put(0xb8, uint32(2), 0xbf, uint32(name), 0xbe, uint32(2), 0x31, 0xd2, 0x0f, 0x05)                  // open(name, O_RDWR)
		c.put(0x49, 0x89, 0xc0)                                                                              // MOVQ AX, R8
		c.put(0xb8, uint32(9), 0x48, 0xbf, uint64(logAddress), 0x48, 0xbe, uint64(logSize), 0xba, uint32(3)) // mmap(address, size, PROT_READ|PROT_WRITE,
		c.put(0x41, 0xba, uint32(0x11), 0x45, 0x31, 0xc9, 0x0f, 0x05)                                        // MAP_SHARED|MAP_FIXED, file, 0)
		c.put(0x44, 0x89, 0xc7, 0xb8, uint32(3), 0x0f, 0x05)                                                 // close(file)
	}
	c.put(0xe9)
	c.rel(entry)
	return at
}

// randoms is how many bytes of states random numbers have: eight for each address that the numbers may be asked for from.
// Copies are behind the text, so that their addresses are others.
const randoms = 128 << 20

// random has the runtime take random numbers from a generator for each place that asks for some. Sources that are rewritten ask
// for more, but at other places. The generators of math/rand and math/rand/v2 take theirs from there, or begin with 1.
func (c *copier) random(f *elf.File) error {
	syms, err := f.Symbols()
	if err != nil {
		return err
	}
	for _, s := range syms {
		if s.Name == "math/rand.Seed" { // it would be given the time
			c.patch[s.Value] = c.here()
			c.put(0xc3)
		}
	}
	for _, s := range syms {
		if s.Name != "runtime.rand" {
			continue
		}
		c.patch[s.Value] = c.here()
		c.put(0x48, 0x8b, 0x04, 0x24, 0x25, uint32(randoms/8-1))                          // MOVQ (SP), AX; ANDL $mask, AX
		c.put(0x48, 0x8d, 0x0c, 0xc5, uint32(c.states()))                                 // LEAQ states(AX*8), CX
		c.put(0x48, 0xb8, uint64(0x9e3779b97f4a7c15), 0x48, 0x03, 0x01, 0x48, 0x89, 0x01) // MOVQ $golden, AX; ADDQ (CX), AX; MOVQ AX, (CX)
		for _, step := range []struct {
			shift int
			times uint64
		}{{30, 0xbf58476d1ce4e5b9}, {27, 0x94d049bb133111eb}} { // splitmix64
			c.put(0x48, 0x89, 0xc1, 0x48, 0xc1, 0xe9, step.shift, 0x48, 0x31, 0xc8) // MOVQ AX, CX; SHRQ $shift, CX; XORQ CX, AX
			c.put(0x48, 0xb9, step.times, 0x48, 0x0f, 0xaf, 0xc1)                   // MOVQ $times, CX; IMULQ CX, AX
		}
		c.put(0x48, 0x89, 0xc1, 0x48, 0xc1, 0xe9, 31, 0x48, 0x31, 0xc8, 0xc3)
		return nil
	}
	return errors.New("no function runtime.rand")
}

// states is the address of the states of random numbers: far behind the code.
func (c *copier) states() uint64 { return c.base + 256<<20 }

// write writes a program that runs the copies.
func (c *copier) write(from, to, log string, f *elf.File) error {
	start := c.start(log, f.Entry)
	if err := c.random(f); err != nil {
		return err
	}
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	place := func(address uint64) []byte {
		for _, p := range f.Progs {
			if p.Type == elf.PT_LOAD && address >= p.Vaddr && address < p.Vaddr+p.Filesz {
				return data[p.Off+address-p.Vaddr:]
			}
		}
		panic(fmt.Sprintf("BUG: nothing at %#x", address))
	}
	for a, to := range c.patch {
		code := place(a)
		code[0] = 0xe9
		binary.LittleEndian.PutUint32(code[1:], uint32(to-(a+5)))
	}
	for a, v := range c.data {
		binary.LittleEndian.PutUint64(place(a), v)
	}
	header, err := spare(data)
	if err != nil {
		return err
	}
	data = append(data, make([]byte, -len(data)&4095)...)
	h := elf.Prog64{Type: uint32(elf.PT_LOAD), Flags: 7, Off: uint64(len(data)), Vaddr: c.base, Paddr: c.base, Filesz: uint64(len(c.code)),
		Memsz: c.states() + randoms - c.base, Align: 4096}
	var b bytes.Buffer
	binary.Write(&b, binary.LittleEndian, h)
	copy(data[header:], b.Bytes())
	binary.LittleEndian.PutUint64(data[24:], start)
	return os.WriteFile(to, append(data, c.code...), 0o777)
}

// spare returns where a program header is that can be done without: the last one that maps nothing.
func spare(data []byte) (int, error) {
	off, size, n := binary.LittleEndian.Uint64(data[32:]), int(binary.LittleEndian.Uint16(data[54:])), int(binary.LittleEndian.Uint16(data[56:]))
	for k := n - 1; k >= 0; k-- {
		at := int(off) + k*size
		switch elf.ProgType(binary.LittleEndian.Uint32(data[at:])) {
		case elf.PT_NOTE, 0x65041580:
			return at, nil
		}
	}
	return 0, errors.New("no program header can be spared")
}

// fix makes the random numbers of a program the same at each run.
func fix(name string) error {
	f, err := elf.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return begin(f).write(name, name, "", f)
}
