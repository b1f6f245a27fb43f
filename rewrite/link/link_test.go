package link

import (
	"bytes"
	"debug/dwarf"
	"debug/elf"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/goprofinstr/goprofinstr/rewrite/patch"
)

func TestArguments(t *testing.T) {
	both, debug := Strip{Symbols: true, DWARF: true}, Strip{DWARF: true}
	for _, test := range []struct {
		args, want []string
		strip      Strip
	}{
		{[]string{"-o", "a", "-X", "p.v=-s", "main.a"}, []string{"-o", "a", "-X", "p.v=-s", "main.a"}, Strip{}},
		{[]string{"-o", "a", "-s", "-w", "main.a"}, []string{"-compressdwarf=false", "-o", "a", "main.a"}, both},
		{[]string{"--w=true", "main.a"}, []string{"-compressdwarf=false", "main.a"}, debug},
		{[]string{"-s=T", "main.a"}, []string{"-compressdwarf=false", "main.a"}, both},
		{[]string{"-s", "-w=0", "main.a"}, []string{"-w=0", "main.a"}, Strip{Symbols: true}},
		{[]string{"-w=f", "-w", "-s", "-s=0", "main.a"}, []string{"-compressdwarf=false", "-w=f", "-s=0", "main.a"}, debug},
		{[]string{"-s=maybe", "main.a"}, []string{"-s=maybe", "main.a"}, Strip{}},
		{[]string{"-w=0", "-s=false", "main.a"}, []string{"-w=0", "-s=false", "main.a"}, Strip{}},
		{[]string{"-extldflags", "-s", "main.a"}, []string{"-extldflags", "-s", "main.a"}, Strip{}},
		{[]string{"-extldflags", "-s", "-w", "main.a"}, []string{"-compressdwarf=false", "-extldflags", "-s", "main.a"}, debug},
		{[]string{"-o", "s", "main.a"}, []string{"-o", "s", "main.a"}, Strip{}},
	} {
		if list, strip := Arguments(test.args); !slices.Equal(list, test.want) || strip != test.strip {
			t.Errorf("%q: %q, %+v", test.args, list, strip)
		}
	}
}

// TestStripped takes symbols, DWARF and both from a program, which has to do the same then.
func TestStripped(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("it runs a program for Linux")
	}
	dir := t.TempDir()
	source := filepath.Join(dir, "main.go")
	const text = `package main

import "runtime"

func main() {
	_, _, line, _ := runtime.Caller(0)
	println(line)
	panic("end")
}
`
	if err := os.WriteFile(source, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "main")
	if out, err := exec.Command("go", "build", "-o", program, source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want, _ := exec.Command(program).CombinedOutput()
	data, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		strip Strip
		size  int // at most, in percent of that of the program
	}{
		{Strip{Symbols: true, DWARF: true}, 75}, {Strip{DWARF: true}, 80}, {Strip{Symbols: true}, 97}, {Strip{}, 100},
	} {
		small, err := stripped(data, test.strip)
		if err != nil {
			t.Fatal(err)
		}
		if err := patch.Replace(program, small); err != nil {
			t.Fatal(err)
		}
		if got, _ := exec.Command(program).CombinedOutput(); !bytes.Contains(got, []byte("panic: end")) || !bytes.Equal(got, want) {
			t.Errorf("%+v: it prints\n%s\nand printed\n%s", test.strip, got, want)
		}
		if len(small)*100 > len(data)*test.size {
			t.Errorf("%+v: it has %d bytes, and had %d", test.strip, len(small), len(data))
		}
		checkStripped(t, data, small, test.strip)
	}
}

// checkStripped makes sure that what is to be taken away is, and nothing else.
func checkStripped(t *testing.T, data, small []byte, strip Strip) {
	t.Helper()
	before, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	f, err := elf.NewFile(bytes.NewReader(small))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range before.Sections {
		loaded := s.Flags&elf.SHF_ALLOC != 0 || s.Name == ".shstrtab"
		left := f.Section(s.Name)
		switch {
		case s.Type == elf.SHT_NULL || s.Type == elf.SHT_NOBITS:
		case (left != nil) != (loaded || !strip.leavesOut(s)):
			t.Errorf("%+v: section %s is there: %t", strip, s.Name, left != nil)
		case left != nil && s.Name != ".shstrtab":
			was, _ := s.Data()
			if got, err := left.Data(); err != nil || !bytes.Equal(got, was) {
				t.Errorf("%+v: section %s has other data, error %v", strip, s.Name, err)
			}
		}
	}
	was, _ := before.Symbols()
	if got, err := f.Symbols(); strip.Symbols != (err != nil) || !strip.Symbols && !slices.Equal(got, was) {
		t.Errorf("%+v: %d symbols of %d, error %v", strip, len(got), len(was), err)
	}
	d, err := f.DWARF()
	if err == nil {
		var e *dwarf.Entry
		if e, err = d.Reader().Next(); err == nil && e == nil {
			err = errors.New("no entry")
		}
	}
	if strip.DWARF != (err != nil) {
		t.Errorf("%+v: DWARF: %v", strip, err)
	}
}

// TestReports writes reports to a folder, and reads them back. The folder's name is a pattern that matches no file, and there may
// be no folder.
func TestReports(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "[a-b]")
	if list, err := Reports(folder); err != nil || len(list) > 0 {
		t.Errorf("%d reports of no folder, %v", len(list), err)
	}
	if err := Write(folder, &Record{ID: "p"}); err != nil {
		t.Fatal(err)
	}
	want := []string{"a.exe", "b.exe"}
	for _, program := range want {
		if err := (&Report{Program: program}).write(folder); err != nil {
			t.Fatal(err)
		}
	}
	list, err := Reports(folder)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range list {
		got = append(got, r.Program)
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("reports of %q, want %q", got, want)
	}
}

// TestDifference takes a program apart, and puts it together again.
func TestDifference(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		before := make([]byte, r.IntN(5*part))
		for i := range before {
			before[i] = byte(r.Uint32())
		}
		after := append(bytes.Clone(before), make([]byte, r.IntN(part))...)
		for range r.IntN(3) {
			if len(before) > 0 {
				after[r.IntN(len(before))]++
			}
		}
		a := difference(bytes.Clone(before), after, Report{})
		if got := a.apply(bytes.Clone(before)); !bytes.Equal(got, after) {
			t.Fatalf("%d bytes and %d behind them differ", len(before), len(after)-len(before))
		}
		if len(a.Changed) > 2 {
			t.Fatalf("%d parts changed", len(a.Changed))
		}
	}
}
