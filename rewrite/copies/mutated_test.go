package copies

import (
	"debug/elf"
	"encoding/binary"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/goprofinstr/goprofinstr/rewrite/machine"
)

var mutations = flag.Int("copies.mutations", 1, "how many programs with mistakes in all functions are copied")

// TestMutated copies programs of which each function has a mistake or two: other bits, other displacements, bytes of another
// function. A function is declined, or its copy is right.
func TestMutated(t *testing.T) { checkMutated(t, build(t)) }

// TestMutatedARM64 is TestMutated for arm64.
func TestMutatedARM64(t *testing.T) { checkMutated(t, buildARM64(t)) }

func checkMutated(t *testing.T, name string) {
	dir := t.TempDir()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	im := openSome(t, name)
	for seed := range *mutations {
		mutated := filepath.Join(dir, "mutated")
		if err := os.WriteFile(mutated, mutate(im, data, uint64(seed)), 0o666); err != nil {
			t.Fatal(err)
		}
		n, of := checkProgram(t, openSome(t, mutated), New, seed%2 == 0)
		if n < of/4 || n == of {
			t.Errorf("seed %d: %d of %d functions are copied", seed, n, of)
		}
	}
}

// mutate returns a program's file with mistakes in each function.
func mutate(im *machine.Image, data []byte, seed uint64) []byte {
	r := rand.New(rand.NewPCG(seed, 0))
	data = slices.Clone(data)
	text := im.File.Section(".text")
	code := data[text.Offset : text.Offset+text.FileSize]
	for _, f := range im.Funcs {
		lo, n := int(f.Lo-text.Addr), int(f.Hi-f.Lo)
		if n == 0 {
			continue
		}
		for range 1 + r.IntN(2) {
			at := lo + r.IntN(n)
			if im.File.Machine == elf.EM_AARCH64 {
				mutate64(r, code, lo+(at-lo)&^3)
				continue
			}
			switch r.IntN(4) {
			case 0:
				code[at] ^= 1 << r.IntN(8)
			case 1:
				code[at] = byte(r.IntN(256))
			case 2: // a jump to somewhere near
				copy(code[at:lo+n], []byte{[]byte{0xeb, 0xe9, 0x74, 0xe8}[r.IntN(4)], byte(r.IntN(256)), byte(r.IntN(2) * -r.IntN(2))})
			case 3:
				from := r.IntN(len(code) - 16)
				copy(code[at:lo+n], code[from:from+1+r.IntN(16)])
			}
		}
	}
	return data
}

// mutate64 makes a mistake in an instruction for arm64.
func mutate64(r *rand.Rand, code []byte, at int) {
	w := binary.LittleEndian.Uint32(code[at:])
	switch r.IntN(4) {
	case 0:
		w ^= 1 << r.IntN(32)
	case 1:
		w = r.Uint32()
	case 2: // a jump to somewhere near
		distance := uint32(r.IntN(64) - 32)
		w = []uint32{0x14000000 | distance&(1<<26-1), 0x54000000 | distance&(1<<19-1)<<5 | uint32(r.IntN(16)),
			0x36000000 | distance&(1<<14-1)<<5 | uint32(r.IntN(32)), 0xb4000000 | distance&(1<<19-1)<<5}[r.IntN(4)]
	case 3: // of another function
		w = binary.LittleEndian.Uint32(code[r.IntN(len(code)/4)*4:])
	}
	binary.LittleEndian.PutUint32(code[at:], w)
}
