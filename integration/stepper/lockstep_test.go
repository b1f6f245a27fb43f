//go:build linux && amd64

package main

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/integration/progen"
	"github.com/goprofinstr/goprofinstr/internal/longtest"
)

var (
	programs  = flag.Int("stepper.programs", 1, "how many generated programs run in lockstep")
	firstSeed = flag.Uint64("stepper.seed", 1, "the first one's")
	functions = flag.Int("stepper.functions", 10, "how many functions each has, not counting literals, methods and iterators")
)

// TestLockstep holds copies against originals instruction by instruction, in generated programs and in the test of steps. For
// 10,000 functions:
//
//	go test ./integration/stepper -run TestLockstep -v -stepper.programs=20 -stepper.functions=500
func TestLockstep(t *testing.T) {
	t.Run("steps", func(t *testing.T) {
		longtest.Skip(t)
		inLockstepFor(t, copied(t, "testdata/steps"), "example.com/steps", 80)
	})
	for k := range *programs {
		seed := *firstSeed + uint64(k)
		dir := t.TempDir()
		p := progen.New(seed, progen.Config{Packages: 1, Functions: *functions})
		p.Files["p0/p0_test.go"] = "package p0\n\nimport \"testing\"\n\nfunc Test(t *testing.T) { Run() }\n"
		for name, src := range p.Files {
			name = filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, []byte(src), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		t.Run("generated", func(t *testing.T) { inLockstepFor(t, dir, progen.Module+"/p0", *functions) })
	}
}

// inLockstepFor runs the tests of a package, of whose copies enough functions have to be executed.
func inLockstepFor(t *testing.T, dir, path string, functions int) {
	o := &options{work: t.TempDir(), goprofinstr: goprofinstr, steps: 3}
	b, err := o.prepare(&pkg{path: path, dir: dir, copies: true})
	if err != nil {
		t.Fatal(err)
	}
	c, err := copyProgram(b.program, b.pkg)
	if err != nil {
		t.Fatal(err)
	}
	checkLockstep(t, b, c, functions)
}

// checkLockstep runs the tests of a program.
func checkLockstep(t *testing.T, b *bench, c *copiedProgram, functions int) {
	l, err := b.inStep(c, []string{"-test.run=^Test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Log(l)
	if len(l.wrong) > 0 {
		t.Error("the copies do something else:\n" + strings.Join(l.wrong, "\n"))
	}
	if l.functions() < functions/2 {
		t.Errorf("%d functions were executed", l.functions())
	}
}

// TestLikened has an object begin where a stack ends. In another run there may be none, and the object is the same.
func TestLikened(t *testing.T) {
	s := &steps{lockstep: &lockstep{}}
	stack := [2]uint64{0xc000010000, 0xc000012000}
	object := s.likened(0xc000345678, stack)
	for _, v := range []uint64{stack[1], stack[0] - 8} {
		if got := s.likened(v, stack); got != object {
			t.Errorf("%#x is like %#x, and not like any object, %#x", v, got, object)
		}
	}
	if got := s.likened(stack[1]-8, stack); got != ^uint64(7) {
		t.Errorf("what is 8 bytes in front of the stack's end is like %#x", got)
	}
}
