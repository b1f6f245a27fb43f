package copies

import (
	"bytes"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/goprofinstr/goprofinstr/rewrite/machine"
	rt "github.com/goprofinstr/goprofinstr/rt/copies"
	"github.com/goprofinstr/goprofinstr/rt/pathlog"
)

// TestCold copies functions of a command, which may begin cold, as for a program with C code. Where calls are of copies in
// windows, they are of originals outside of them, and control comes back to the same place.
func TestCold(t *testing.T) {
	var c *Copier
	begin := func(im *machine.Image, base uint64) *Copier {
		c = NewCold(im, base, 1<<16)
		c.Words = -48
		return c
	}
	n, of := checkProgram(t, openSome(t, build(t)), begin, true)
	if n < of*9/10 {
		t.Errorf("%d of %d functions are copied", n, of)
	}
	checkCold(t, c, n)
}

// checkCold checks what is told of functions that begin cold.
func checkCold(t *testing.T, c *Copier, copied int) {
	list := c.cold.functions
	t.Logf("%d of %d functions may begin cold", len(list), copied)
	if len(list) < copied*9/10 {
		t.Errorf("%d of %d functions may begin cold", len(list), copied)
	}
	counters := 0
	for k, f := range list {
		if f.Counter != 0 {
			counters++
			word := countsAt(c, uint64(f.Counter))
			if f.Counter < f.Copy || f.Counter >= f.Copy+f.Size || word != c.cold.counts+8*uint64(k) || word+8 > c.base {
				t.Fatalf("the counter of %#x is % x, and adds to %#x", f.At, c.code[f.Counter:][:16], word)
			}
		}
		if at := c.base + uint64(f.Copy); c.entries[uint64(f.At)] != at || f.At%8 != 0 {
			t.Fatalf("%#x has its copy at %#x", f.At, at)
		}
		if k > 0 && (f.Copy < list[k-1].Copy+list[k-1].Size || f.Target < list[k-1].Target+list[k-1].Targets) {
			t.Fatalf("%#x is not in order", f.At)
		}
	}
	if counters < len(list)*9/10 {
		t.Errorf("%d of %d functions have counters", counters, len(list))
	}
	t.Logf("%d functions have counters", counters)
	last, of := uint32(0), make(map[uint32]bool)
	for _, site := range c.sites {
		if k := site.Value >> pathlog.FunctionShift; k != 0 { // the others are of functions that are never cold
			if k < last {
				t.Fatalf("sites of function %d are behind those of %d", k, last)
			}
			last, of[k] = k, true
		}
	}
	if len(of) != len(list) {
		t.Errorf("%d of %d functions have sites", len(of), len(list))
	}
}

// countsAt returns the word that the counter at an offset adds to, 0 if it is none.
func countsAt(c *Copier, offset uint64) uint64 {
	if _, ok := c.arch.(arm64); ok {
		return (&checker{c: &Copied{Base: c.base, Code: c.code}}).counts64(offset)
	}
	code := c.code[offset:]
	if !bytes.HasPrefix(code, []byte{0x48, 0xff, 0x05}) {
		return 0
	}
	return c.base + offset + counterSize + uint64(int64(int32(binary.LittleEndian.Uint32(code[3:]))))
}

// asks returns how many bytes test whether the thread is in a window, in front of a call or a jump to another function. The jump
// there leads to another copy of the instruction.
func (k *checker) asks(offset uint64, code []byte, at uint64) int {
	const size = 10
	test := &Copier{Words: k.c.Words}
	if test.test(window); !bytes.HasPrefix(code, test.code) {
		return 0
	}
	if code[size] != 0x0f || code[size+1] != 0x84 {
		k.Errorf("% x behind a test", code[size:])
		return 0
	}
	to := offset + size + 6 + uint64(int64(int32(binary.LittleEndian.Uint32(code[size+2:]))))
	if p, _ := k.origin(to); uint64(p.Copy) != to || uint64(p.At&rt.AddressMask) != at || p.At>>rt.KindShift != rt.Instruction {
		k.Errorf("outside of windows it leads to %#x", p.At)
	}
	k.outside[to] = true
	return size + 6
}

// original makes sure that an instruction calls or jumps to what the original does, and to no copy.
func (k *checker) original(offset uint64, code []byte, at uint64) {
	o := k.insts[at]
	to, direct := o.Target()
	if !direct {
		if !bytes.Equal(code[:o.Len], o.Code) {
			k.Errorf("% x, original % x", code, o.Code)
		}
		return
	}
	const size = 5
	is := k.c.Base + offset + size + uint64(int64(int32(binary.LittleEndian.Uint32(code[1:]))))
	if is != to || code[0] != o.Code[0] && o.Code[0] != 0xeb {
		k.Errorf("% x leads to %#x, original %#x", code, is, to)
	}
}

// flagTest is how many bytes the test of a function's flag has.
const flagTest = 7

// behind reports whether control goes from a test, outside of windows, to the original if the function is cold no more, and
// back if it is. A function that never is cold is left.
func (w *flow) behind(at, over, back uint64) bool {
	if !w.within(at) {
		return false
	}
	code := w.c.Code[at-w.c.Base:]
	rel := func(k int) uint64 {
		return at + uint64(k+4) + uint64(int64(int32(binary.LittleEndian.Uint32(code[k:]))))
	}
	if code[0] == 0xe9 {
		return rel(1) == over
	}
	flag := rel(2) + 1 // behind the immediate operand
	return code[0] == 0x80 && code[1] == 0x3d && flag >= w.c.Flags && flag < w.c.Flags+uint64(len(w.c.Cold)) &&
		rel(flagTest+2) == over && code[flagTest+6] == 0xe9 && rel(flagTest+7) == back
}

// TestNoCounter has no counter at an entry that a loop leads back to: it would count rounds.
func TestNoCounter(t *testing.T) {
	if testing.Short() || runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("it builds a command for linux/amd64")
	}
	dir := t.TempDir()
	source, name := filepath.Join(dir, "main.go"), filepath.Join(dir, "main")
	if err := os.WriteFile(source, []byte(loopAtEntry), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("go", "build", "-o", name, source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	im := open(t, name)
	c := NewCold(im, Base(im.File), 8)
	for _, f := range im.Funcs {
		want, is := map[string]bool{"main.large": false, "main.grows": true}[f.Name]
		if !is {
			continue
		}
		if err := im.Build(f); err != nil {
			t.Fatal(err)
		}
		if err := c.Add(f, []Counted{{everywhere(f), uint32(len(c.cold.functions))}}); err != nil {
			t.Fatal(err)
		}
		if got := c.cold.functions[len(c.cold.functions)-1].Counter != 0; got != want {
			t.Errorf("%s has a counter: %t", f.Name, got)
		}
	}
	if n := len(c.cold.functions); n != 2 {
		t.Errorf("%d functions are copied, want 2", n)
	}
}

// loopAtEntry has a loop whose first instruction is the function's, and a stack that may grow.
const loopAtEntry = `package main

//go:noinline
func large(n uint) uint {
	for {
		n = n*31 + 7
		if n > 1000 {
			return n
		}
	}
}

//go:noinline
func grows(n int) int {
	if n == 0 {
		return 0
	}
	return 1 + grows(n-1)
}

func main() { println(large(3), grows(3)) }
`
