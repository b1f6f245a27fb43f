package link

import (
	"bytes"
	"debug/elf"
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
	for _, test := range []struct {
		args, want []string
		strip      bool
	}{
		{[]string{"-o", "a", "-X", "p.v=-s", "main.a"}, []string{"-o", "a", "-X", "p.v=-s", "main.a"}, false},
		{[]string{"-o", "a", "-s", "-w", "main.a"}, []string{"-compressdwarf=false", "-o", "a", "main.a"}, true},
		{[]string{"--w=true", "main.a"}, []string{"-compressdwarf=false", "main.a"}, true},
		{[]string{"-w=0", "-s=false", "main.a"}, []string{"-w=0", "-s=false", "main.a"}, false},
		{[]string{"-extldflags", "-s", "main.a"}, []string{"-extldflags", "-s", "main.a"}, false},
		{[]string{"-extldflags", "-s", "-w", "main.a"}, []string{"-compressdwarf=false", "-extldflags", "-s", "main.a"}, true},
		{[]string{"-o", "s", "main.a"}, []string{"-o", "s", "main.a"}, false},
	} {
		if list, strip := Arguments(test.args); !slices.Equal(list, test.want) || strip != test.strip {
			t.Errorf("%q: %q, %t", test.args, list, strip)
		}
	}
}

// TestStripped takes symbols and DWARF from a program, which has to do the same then.
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
	small, err := stripped(data)
	if err != nil {
		t.Fatal(err)
	}
	if err := patch.Replace(program, small); err != nil {
		t.Fatal(err)
	}
	if got, _ := exec.Command(program).CombinedOutput(); !bytes.Contains(got, []byte("panic: end")) || !bytes.Equal(got, want) {
		t.Errorf("it prints\n%s\nand printed\n%s", got, want)
	}
	f, err := elf.NewFile(bytes.NewReader(small))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Symbols(); err == nil {
		t.Error("it has symbols")
	}
	for _, name := range []string{".debug_info", ".debug_line", ".strtab"} {
		if f.Section(name) != nil {
			t.Errorf("it has section %s", name)
		}
	}
	for _, name := range []string{".text", ".gopclntab", ".shstrtab"} {
		if s := f.Section(name); s == nil {
			t.Errorf("section %s is gone", name)
		} else if _, err := s.Data(); err != nil {
			t.Errorf("section %s: %v", name, err)
		}
	}
	if len(small) >= len(data)*3/4 {
		t.Errorf("it has %d bytes, and had %d", len(small), len(data))
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
