package copies

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
)

// Words tell where a thread has what records need: how far from FS the first word is.
//
// Without C code FS leads into m.tls, of which Go uses the first word only. The second is at 0(FS).
//
// With C code the thread's block of variables of C ends at FS. The loader makes such a block for each thread, as large as the
// program's PT_TLS says. Offsets of variables count from its end. So a larger PT_TLS has room at the beginning of each block, and
// no variable lies elsewhere by it:
//
//	-48(FS)  the words of copies
//	-8(FS)   the goroutine
//
// Variables that begin with a value would lie elsewhere, since the loader writes these values to the beginning of the block.
type Words int64

// The words, from the first one on.
const (
	next   = 0
	saved  = 8
	window = 24 // whether the thread is in a window, where functions begin cold

	wordsSize = 40
)

// wordsOf returns where the threads of a program have their words, and how large its PT_TLS has to be, if it has one.
func wordsOf(f *elf.File) (w Words, size uint64, err error) {
	p := tlsOf(f)
	if p == nil {
		return 0, 0, nil
	}
	if f.Machine != elf.EM_X86_64 {
		return 0, 0, errors.New("it has C code, with which threads have room for copies on amd64 only")
	}
	if p.Filesz > 0 {
		return 0, 0, errors.New("its C code has variables of threads that begin with a value")
	}
	align := max(p.Align, 8)
	if p.Vaddr%align != 0 {
		return 0, 0, errors.New("its variables of threads do not begin at a multiple of their alignment")
	}
	up := func(n uint64) uint64 { return (n + align - 1) &^ (align - 1) }
	size = up(up(p.Memsz) + wordsSize) // variables begin a multiple of align in front of FS
	return -Words(size), size, nil
}

func tlsOf(f *elf.File) *elf.Prog {
	for _, p := range f.Progs {
		if p.Type == elf.PT_TLS {
			return p
		}
	}
	return nil
}

// WordsOf returns where the threads of a program have their words.
func WordsOf(f *elf.File) (Words, error) {
	w, _, err := wordsOf(f)
	return w, err
}

// makeRoom has the loader make room for the words of each thread, in a program without them.
func (w Words) makeRoom(data []byte) error {
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return err
	}
	is, size, err := wordsOf(f)
	if err != nil {
		return err
	}
	if is != w {
		return fmt.Errorf("copies have their words at %d, and the program's threads at %d", w, is)
	}
	if w == 0 {
		return nil
	}
	var h elf.Header64
	if _, err := binary.Decode(data, binary.LittleEndian, &h); err != nil {
		return err
	}
	for k, p := range f.Progs {
		if p.Type == elf.PT_TLS {
			const memsz = 40 // in a header
			binary.LittleEndian.PutUint64(data[h.Phoff+uint64(k)*uint64(h.Phentsize)+memsz:], size)
		}
	}
	return nil
}

// touch puts an instruction that has a word of the thread as its memory operand: its code up to the opcode, its register field,
// and an immediate operand of a byte if there is one.
func (c *Copier) touch(opcode, register, word int, immediate ...int) {
	c.put(0x64, 0x48, opcode, 0x04|register<<3, 0x25, uint32(int64(c.Words)+int64(word)))
	for _, b := range immediate {
		c.put(b)
	}
}

// test puts a test whether a word of the thread is 0. The jump that follows leads elsewhere if it is.
func (c *Copier) test(word int) { c.touch(0x83, 7, word, 0) } // CMPQ $0, word
