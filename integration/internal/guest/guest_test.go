//go:build linux

package guest

import (
	"debug/elf"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/integration/internal/tracer"
)

var kernel = flag.String("kernel", "", "where Debian's package linux-image-*-cloud-arm64 was unpacked")

const program = `package main

import (
	"fmt"
	"os"
)

//go:noinline
func add(n int) int { return n + 1 }

func main() {
	fmt.Println(add(len(os.Args)))
	os.WriteFile(os.Args[1], []byte("here"), 0o666)
}
`

// TestMachine runs a program in a machine, alone and traced: it has to stop at each breakpoint once, and what a handler writes
// there has to be seen.
func TestMachine(t *testing.T) {
	if *kernel == "" {
		t.Skip("-kernel is not given")
	}
	dir := t.TempDir()
	m, err := Start(*kernel, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	src, name := filepath.Join(dir, "main.go"), filepath.Join(dir, "program")
	if err := os.WriteFile(src, []byte(program), 0o666); err != nil {
		t.Fatal(err)
	}
	build := exec.Command("go", "build", "-o", name, src)
	build.Env = append(os.Environ(), "GOARCH=arm64", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := m.Put(name); err != nil {
		t.Fatal(err)
	}
	back := filepath.Join(dir, "back")
	c := &Command{Path: name, Args: []string{filepath.Join(back, "file")}, Dir: dir, Dirs: []string{back}, Back: back}
	out, err := m.Run(c, nil)
	if err != nil || strings.TrimSpace(string(out)) != "3" {
		t.Fatalf("%q, %v", out, err)
	}
	if data, err := os.ReadFile(c.Args[0]); string(data) != "here" {
		t.Errorf("%q came back, %v", data, err)
	}
	add := address(t, name, "main.add")
	stops := 0
	out, err = m.Run(c, &tracer.Handlers{
		Begin: func(p *tracer.Program) error { return p.Arm([]uint64{add}) },
		Break: func(p *tracer.Program, th *tracer.Thread) (tracer.Signal, error) {
			stops++
			if th.PC != add || th.General[0] != 2 {
				t.Errorf("at %#x, with %d", th.PC, th.General[0])
			}
			return tracer.Signal{}, p.Write(add, []byte{0x40, 0x05, 0x80, 0xd2, 0xc0, 0x03, 0x5f, 0xd6}) // MOVD $42, R0; RET
		},
	})
	if err != nil || stops != 1 || strings.TrimSpace(string(out)) != "42" {
		t.Errorf("%d stops, %q, %v", stops, out, err)
	}
}

// address returns where a function of a program is.
func address(t *testing.T, program, name string) uint64 {
	f, err := elf.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	list, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range list {
		if s.Name == name {
			return s.Value
		}
	}
	t.Fatalf("no function %s", name)
	return 0
}
