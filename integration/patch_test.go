package integration

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/arch/x86/x86asm"

	"github.com/goprofinstr/goprofinstr/rewrite/patch"
	"github.com/goprofinstr/goprofinstr/rt/native"
)

// siteLength is the length of the no-op that becomes a call.
const siteLength = 7

// TestPatch holds a patched program against what the linker made: nothing is different but the sites, the description of the
// image, and what is appended. All sites are no-ops where there was a store, and have a call in them of a stub that is
// theirs.
func TestPatch(t *testing.T) {
	if why := patch.WhyNot(); why != "" {
		t.Skip(why)
	}
	dir := copyProgram(t, "markers")
	linked := link(t, dir)
	plain, err := os.ReadFile(linked)
	if err != nil {
		t.Fatal(err)
	}
	report, err := patch.Patch(linked)
	if err != nil {
		t.Fatal(err)
	}
	patched, err := os.ReadFile(linked)
	if err != nil {
		t.Fatal(err)
	}
	im := findImage(t, plain, patched)
	if len(im.sites) != report.Sites || report.Sites < 10 {
		t.Fatalf("%d sites in the image, and the patcher says %d", len(im.sites), report.Sites)
	}
	t.Logf("%+v", report)
	for k, address := range im.sites {
		old := at(t, im.file, plain, address)
		store, err := x86asm.Decode(old, 64)
		if err != nil || store.Op != x86asm.MOV || store.Len < siteLength {
			t.Fatalf("site %#x was %v of %d bytes (%v), want a store", address, store, store.Len, err)
		}
		site := at(t, im.file, patched, address)[:store.Len]
		checkSite(t, im, uint64(k), address, site)
		copy(old, site) // what is left should be the same
	}
	copy(plain[im.at:], patched[im.at:im.at+(2+native.ImageWords)*8])
	if !bytes.Equal(plain, patched[:len(plain)]) {
		t.Error("the programs differ where there are no sites")
	}
	// Where it has no place for its data, nothing is armed.
	if stdout, _ := run(t, dir, linked, "-rounds=1000"); strings.TrimSpace(stdout) == "" {
		t.Error("the patched program prints nothing")
	}
}

// link builds the program in dir with native probes that nobody patches, and returns its name.
func link(t *testing.T, dir string) string {
	t.Helper()
	_, said := run(t, dir, goprofinstr, "wrap", "-n", "-work", "-mode", "sampled", "-backend", "native", "go", "build", "-o", "linked", ".")
	work, command, _ := strings.Cut(said, "\n")
	t.Cleanup(func() { os.RemoveAll(strings.TrimPrefix(work, "WORK=")) })
	toolexec := regexp.MustCompile(`'-toolexec=.* toolexec' `)
	if !toolexec.MatchString(command) {
		t.Fatalf("no -toolexec in %s", command)
	}
	cmd := exec.Command("sh", "-c", toolexec.ReplaceAllString(command, ""))
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return filepath.Join(dir, "linked")
}

// image is what the patcher has appended.
type image struct {
	file  *elf.File
	at    int // offset of its description
	base  uint64
	code  []byte
	sites []uint64 // addresses
}

// findImage finds the image of a program, which is not there in the plain one.
func findImage(t *testing.T, plain, patched []byte) *image {
	t.Helper()
	file, err := elf.NewFile(bytes.NewReader(plain))
	if err != nil {
		t.Fatal(err)
	}
	magic := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, native.ImageMagic0), native.ImageMagic1)
	if n := bytes.Count(patched, magic); n != 1 {
		t.Fatalf("%d descriptions of an image", n)
	}
	im := &image{file: file, at: bytes.Index(patched, magic)}
	word := func(i int) uint64 { return binary.LittleEndian.Uint64(patched[im.at+(2+i)*8:]) }
	offset, size, n := word(0), word(1), word(3)
	im.base = word(2)
	if offset < uint64(len(plain)) || offset%4096 != 0 || offset+size+n*8 != uint64(len(patched)) {
		t.Fatalf("%d bytes of code at %d and %d sites in a file of %d bytes, which had %d", size, offset, n, len(patched), len(plain))
	}
	im.code = patched[offset : offset+size]
	for i := range n {
		im.sites = append(im.sites, uint64(binary.LittleEndian.Uint32(patched[offset+size+4*i:])))
	}
	return im
}

// at returns what a program has from an address in its text on.
func at(t *testing.T, file *elf.File, data []byte, address uint64) []byte {
	t.Helper()
	text := file.Section(".text")
	if address < text.Addr || address >= text.Addr+text.Size {
		t.Fatalf("%#x is not in the text", address)
	}
	return data[text.Offset+address-text.Addr : text.Offset+text.Size]
}

// checkSite checks site k: it is a no-op, others may follow, and its call leads to a stub that notes it.
func checkSite(t *testing.T, im *image, k, address uint64, code []byte) {
	t.Helper()
	if inst, err := x86asm.Decode(code, 64); err != nil || inst.Op != x86asm.NOP || inst.Len != siteLength {
		t.Fatalf("site %#x is % x, %v of %d bytes (%v)", address, code, inst, inst.Len, err)
	}
	for rest := code[siteLength:]; len(rest) > 0; {
		inst, err := x86asm.Decode(rest, 64)
		if err != nil || inst.Op != x86asm.NOP {
			t.Fatalf("site %#x ends with % x", address, rest)
		}
		rest = rest[inst.Len:]
	}
	armed := append([]byte{0xe8}, code[1:siteLength]...)
	call, err := x86asm.Decode(armed, 64)
	if err != nil || call.Op != x86asm.CALL || call.Len != 5 {
		t.Fatalf("site %#x is %v when it is armed", address, call)
	}
	stub := address + 5 + uint64(int64(call.Args[0].(x86asm.Rel))) - im.base
	if stub >= uint64(len(im.code)) || im.code[stub] != 0x50 {
		t.Fatalf("site %#x calls %#x, where no stub begins", address, im.base+stub)
	}
	if err := notes(im.code[stub:], k); err != nil {
		t.Errorf("the stub of site %#x: %v", address, err)
	}
}

// notes returns an error unless code stores the number of a site before it returns. The number is stored with its path or in the
// upper half of where this is.
func notes(code []byte, k uint64) error {
	noted := false
	for {
		inst, err := x86asm.Decode(code, 64)
		if err != nil {
			return err
		}
		if imm, ok := inst.Args[1].(x86asm.Imm); ok && inst.Op == x86asm.MOV {
			_, stored := inst.Args[0].(x86asm.Mem)
			noted = noted || stored && uint64(imm) == k || inst.Args[0] == x86asm.RAX && uint64(imm)>>32 == k && imm&1 != 0
		}
		if code = code[inst.Len:]; inst.Op == x86asm.RET {
			break
		}
	}
	if !noted {
		return fmt.Errorf("it does not note that it is that of site %d", k)
	}
	return nil
}
