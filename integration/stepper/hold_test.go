//go:build linux && amd64

package main

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/goprofinstr/goprofinstr/export/profiledir"
	"github.com/goprofinstr/goprofinstr/integration/internal/tracer"
)

// TestHolds has a package register itself in a program that samples with copies. What is decoded while its counters move into the
// run file would be lost, so the thread has cold's lock then, and has given it back afterwards.
func TestHolds(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.26\n",
		"main.go": "package main\n\nvar n = sum(3)\n\nfunc main() { sum(n) }\n\n//go:noinline\n" +
			"func sum(n int) (s int) {\n\tfor k := range n {\n\t\ts += k * n\n\t}\n\treturn s\n}\n", // long enough to begin cold
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.Command(goprofinstr, "wrap", "-mode", "sampled", "-backend", "copy", "go", "build", "-o", "m", ".")
	build.Dir, build.Env = dir, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	program := filepath.Join(dir, "m")
	moves := symbolOf(t, program, "goprofinstr/rt/runfile.(*array).writeTo")
	moved := symbolOf(t, program, "goprofinstr/rt/runfile.writeHead")
	const holder = 8 // behind on
	held := symbolOf(t, program, "goprofinstr/rt/copies.cold") + holder
	stops := make(map[uint64]int)
	run := exec.Command(program)
	run.Env = append(os.Environ(), profiledir.Var+"="+filepath.Join(dir, "out"))
	err := tracer.Run(run, tracer.Handlers{
		Begin: func(p *tracer.Program) error { return p.Arm([]uint64{moves, moved}) },
		Break: func(p *tracer.Program, th *tracer.Thread) (none tracer.Signal, err error) {
			words, err := p.Word(held)
			if is := words != 0; is != (th.PC == moves) {
				t.Errorf("at %#x the lock is held: %v", th.PC, is)
			}
			stops[th.PC]++
			return none, err
		},
	})
	if err != nil || stops[moves] == 0 || stops[moved] == 0 {
		t.Errorf("%v; counters moved %d times, and %d times a record was written behind", err, stops[moves], stops[moved])
	}
}

// symbolOf returns the address of what a program has by some name.
func symbolOf(t *testing.T, program, name string) uint64 {
	f, err := elf.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range symbols {
		if s.Name == name {
			return s.Value
		}
	}
	t.Fatalf("%s has no %s", program, name)
	return 0
}
