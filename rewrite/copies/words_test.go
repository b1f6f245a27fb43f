package copies

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"testing"
)

// program returns an executable that has segments and nothing else.
func program(t *testing.T, segments ...elf.Prog64) []byte {
	h := elf.Header64{Type: uint16(elf.ET_EXEC), Machine: uint16(elf.EM_X86_64), Version: 1, Ehsize: 64, Phoff: 64, Phentsize: 56,
		Phnum: uint16(len(segments))}
	copy(h.Ident[:], elf.ELFMAG+"\x02\x01\x01")
	var b bytes.Buffer
	binary.Write(&b, binary.LittleEndian, &h)
	if err := binary.Write(&b, binary.LittleEndian, segments); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestWords makes room for words in programs that have the goroutine behind FS, alone or with variables of C.
func TestWords(t *testing.T) {
	load := elf.Prog64{Type: uint32(elf.PT_LOAD), Vaddr: 0x400000, Memsz: 0x1000, Align: 0x1000}
	for _, c := range []struct {
		size, align uint64
		words       Words
	}{
		{8, 8, -48},
		{12, 8, -56}, // variables begin at -16
		{0x44, 0x40, -0xc0},
		{8, 0x40, -0x80},
	} {
		data := program(t, load, elf.Prog64{Type: uint32(elf.PT_TLS), Memsz: c.size, Align: c.align})
		f, err := elf.NewFile(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		w, err := WordsOf(f)
		if err != nil || w != c.words {
			t.Errorf("%d bytes, align %d: words are at %d, %v", c.size, c.align, w, err)
		}
		if err := Words(0).makeRoom(bytes.Clone(data)); err == nil {
			t.Error("copies without C code are put into a program with it")
		}
		if err := w.makeRoom(data); err != nil {
			t.Fatal(err)
		}
		if f, err = elf.NewFile(bytes.NewReader(data)); err != nil {
			t.Fatal(err)
		}
		p := f.Progs[1]
		variables := -int64((c.size + c.align - 1) &^ (c.align - 1)) // where they begin, from FS
		if p.Memsz%c.align != 0 || -Words(p.Memsz) != w || int64(w)+wordsSize > variables || f.Progs[0].Memsz != load.Memsz {
			t.Errorf("%d bytes, align %d: there are %d for words at %d", c.size, c.align, p.Memsz, w)
		}
		if Base(f) < load.Vaddr+1<<30 {
			t.Errorf("copies are at %#x, where the heap of C code may be", Base(f))
		}
	}
}

// TestNoWords has a program without C code, and one where there is no room.
func TestNoWords(t *testing.T) {
	for segment, want := range map[elf.Prog64]bool{
		{Type: uint32(elf.PT_LOAD)}:                      true,
		{Type: uint32(elf.PT_TLS), Memsz: 16, Filesz: 8}: false, // which the loader writes to the block's beginning
	} {
		f, err := elf.NewFile(bytes.NewReader(program(t, segment)))
		if err != nil {
			t.Fatal(err)
		}
		if w, err := WordsOf(f); (err == nil) != want || w != 0 {
			t.Errorf("%+v: words are at %d, %v", segment, w, err)
		}
	}
}
