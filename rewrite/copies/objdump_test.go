package copies

import (
	"bufio"
	"encoding/binary"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/rewrite/machine"
)

// A disassembled instruction is one that another decoder has found.
type disassembled struct {
	text  string
	about uint64 // the address that it has relative to itself, 0 if there is none
}

// objdump returns a program's instructions by address, as binutils decodes them, and nil where there is no objdump.
func objdump(t *testing.T, program string) map[uint64]disassembled {
	name, err := exec.LookPath("objdump")
	if err != nil {
		t.Log("there is no objdump")
		return nil
	}
	cmd := exec.Command(name, "-d", "-w", "-j", ".text", "--no-show-raw-insn", program)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	insts := make(map[uint64]disassembled)
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		at, text, ok := strings.Cut(lines.Text(), ":\t")
		pc, err := strconv.ParseUint(strings.TrimSpace(at), 16, 64)
		if !ok || err != nil {
			continue
		}
		i := disassembled{text: text}
		if _, comment, ok := strings.Cut(text, "(%rip)"); ok {
			_, comment, _ = strings.Cut(comment, "# ")
			about, _, _ := strings.Cut(comment, " ")
			i.about, _ = strconv.ParseUint(strings.TrimPrefix(about, "0x"), 16, 64)
		}
		insts[pc] = i
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	return insts
}

// checkDecoding holds the instructions of functions against those of another decoder: where they are, and the displacements of
// those that package x86asm does not know.
func checkDecoding(t *testing.T, im *machine.Image, insts map[uint64]disassembled) {
	wrong, vex := 0, 0
	for _, f := range im.Funcs {
		if f.Blocks == nil || strings.HasPrefix(f.Name, "crypto/internal/boring/sig.") { // which has data that nobody executes
			continue
		}
		for k, i := range f.Insts {
			d, ok := insts[i.PC]
			if k+1 < len(f.Insts) { // objdump ends a long row of prefixes or zeros otherwise, in what nobody executes
				_, next := insts[i.End()]
				ok = ok && next
			}
			if !ok {
				t.Errorf("%s: %#x % x is no instruction of its own", f.Name, i.PC, i.Code)
				wrong++
			}
			if i.Vex {
				vex++
				at, about := vexDisplacement(i.Code), uint64(0)
				if at >= 0 {
					about = i.End() + uint64(int64(int32(binary.LittleEndian.Uint32(i.Code[at:]))))
				}
				if about != d.about {
					t.Errorf("%s: %#x % x is about %#x, and for objdump about %#x: %s", f.Name, i.PC, i.Code, about, d.about, d.text)
					wrong++
				}
			}
			if wrong > 20 {
				t.Fatal("and more")
			}
		}
	}
	t.Logf("%d instructions with VEX prefixes", vex)
}
