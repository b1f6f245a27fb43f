package copies

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"

	rt "github.com/goprofinstr/goprofinstr/rt/copies"
	"github.com/goprofinstr/goprofinstr/rt/pathlog"
)

// Settings say what a program does with its copies.
type Settings struct {
	Mode             uint64 // one of package rt/copies
	Interval, Length uint64 // see rt's Image
	Counters         string // the file that has the counters, "" for none; its size is a multiple of the page size
	Uncounted        []rt.Uncounted
	Sampling         uint64 // see rt's Image
}

// mapSize returns what parts of a program's file that are mapped are multiples of: pages have up to 64 kB on arm64.
func mapSize(data []byte) int { return mapSizeOf(elf.Machine(binary.LittleEndian.Uint16(data[18:]))) }

func mapSizeOf(m elf.Machine) int {
	if m == elf.EM_AARCH64 {
		return 1 << 16
	}
	return 4096
}

// heapRoom is how far behind a program C code's heap may be (brk): it begins up to 1 GB behind it, at random.
const heapRoom = 5 << 28

// Base returns an address for the copies of a program: behind all that it maps, and behind the heap that C code has there.
func Base(f *elf.File) uint64 {
	var top uint64
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD {
			top = max(top, p.Vaddr+p.Memsz)
		}
	}
	if tlsOf(f) != nil {
		top += heapRoom
	}
	return (top + 1<<20) &^ (1<<20 - 1)
}

// Attach returns an executable with copies behind it, and says so in the variable of package rt/copies.
func Attach(data []byte, c *Copied, targets []pathlog.Target, s Settings) ([]byte, error) {
	descriptors, err := find(data, rt.ImageMagic0, rt.ImageMagic1, rt.ImageWords)
	if err != nil {
		return nil, err
	}
	if err := c.Words.makeRoom(data); err != nil {
		return nil, err
	}
	size := mapSize(data)
	places := c.Places()
	for (12*len(places.Functions)+12*len(places.Blocks)+len(places.Stream))%8 != 0 {
		places.Stream = append(places.Stream, rt.EndToken) // what follows has words of 8 bytes
	}
	im := rt.Image{
		Base: c.Base, Code: uint64((len(c.Code) + size - 1) &^ (size - 1)),
		Mode: s.Mode, Interval: s.Interval, Length: max(s.Length, 1),
		Functions: uint64(len(places.Functions)), Blocks: uint64(len(places.Blocks)), Stream: uint64(len(places.Stream)),
		Sites: uint64(len(c.Sites)), Ops: uint64(len(c.Ops)), Steps: uint64(len(c.Steps)), Targets: uint64(len(targets)),
	}
	if s.Counters != "" || s.Mode != rt.Sampled {
		for _, t := range targets {
			_, end := t.Room()
			im.Counters = max(im.Counters, end)
		}
	}
	im.Uncounted, im.Words, im.Sampling = uint64(len(s.Uncounted)), uint64(c.Words), s.Sampling
	im.Looks, im.Cases, im.Ways, im.Doubts = uint64(len(c.Looks)), uint64(len(c.Cases)), uint64(len(c.Ways)), uint64(len(c.Doubts))
	name := []byte{}
	if s.Counters != "" {
		name = append([]byte(s.Counters), 0)
	}
	im.Name = uint64(len(name))
	im.Offset = uint64((len(data) + size - 1) &^ (size - 1))
	var image bytes.Buffer
	binary.Write(&image, binary.LittleEndian, &im)
	for _, at := range descriptors {
		copy(data[at+16:], image.Bytes()[16:]) // the magic stays
	}
	out := bytes.NewBuffer(data)
	out.Write(make([]byte, im.Offset-uint64(len(data))))
	out.Write(c.Code)
	out.Write(bytes.Repeat([]byte{0xcc}, int(im.Code)-len(c.Code)))
	for _, table := range []any{
		places.Functions, places.Blocks, places.Stream, c.Sites, c.Ops, c.Steps, targets, c.Looks, c.Cases, c.Ways, s.Uncounted,
	} {
		binary.Write(out, binary.LittleEndian, table)
	}
	out.Write(name)
	return out.Bytes(), nil
}

// find returns where in an executable the variables are that begin with a magic, and have so many words behind it.
func find(data []byte, magic0, magic1 uint64, words int) (at []int, err error) {
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	if f.Machine != elf.EM_X86_64 && f.Machine != elf.EM_AARCH64 || f.Type != elf.ET_EXEC {
		return nil, fmt.Errorf("it is for %v, type %v", f.Machine, f.Type)
	}
	magic := Append(nil, magic0, magic1)
	for _, s := range f.Sections {
		if s.Type != elf.SHT_PROGBITS || s.Flags&elf.SHF_WRITE == 0 {
			continue
		}
		if i := bytes.Index(data[s.Offset:s.Offset+s.Size], magic); i >= 0 && uint64(i+16+8*words) <= s.Size {
			at = append(at, int(s.Offset)+i)
		}
	}
	if len(at) == 0 {
		return nil, errors.New("it does not have package rt/copies")
	}
	return at, nil
}
