//go:build linux

package integration

import (
	"bufio"
	"debug/macho"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/export/profiledir"
)

// TestKilled kills a program with SIGKILL when it has counted: everything that it has counted is in
// its run file. With the tag goprofinstr_basic that is by the choices of macOS.
func TestKilled(t *testing.T) {
	dir := copySparse(t, "killed")
	for _, test := range []struct {
		flags  []string
		atomic bool
	}{
		{[]string{"-mode", "exact"}, false},
		{[]string{"-mode", "exact", "-atomic"}, true},
	} {
		t.Run(strings.Join(test.flags, " "), func(t *testing.T) {
			program, data := filepath.Join(t.TempDir(), "program"), t.TempDir()
			run(t, dir, goprofinstr, append(append([]string{"wrap"}, test.flags...), "go", "build", "-o", program, ".")...)
			killCounted(t, program, data)
			p, err := profile.Load(data)
			if err != nil {
				t.Fatal(err)
			}
			if len(p.Runs) != 1 || p.Runs[0].Lost != 0 || p.Runs[0].Alive {
				t.Errorf("runs: %+v", p.Runs)
			}
			if got, want := pathCounts(p, "third"), []int64{20_000_000, 40_000_000}; test.atomic && !slices.Equal(got, want) {
				t.Errorf("third: %d counted, want %d", got, want)
			}
			got := pathCounts(p, "sparse")
			got = got[max(0, len(got)-7):]
			if want := []int64{42_857, 42_857, 42_857, 42_857, 42_857, 42_857, 42_858}; !slices.Equal(got, want) {
				t.Errorf("sparse: %d counted, want %d", got, want)
			}
		})
	}
}

// killCounted runs a program until it says that it has counted, and kills it.
func killCounted(t *testing.T, program, data string) {
	t.Helper()
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), profiledir.Var+"="+data)
	cmd.Stderr = os.Stderr
	_, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	cmd.Process.Kill()
	cmd.Wait()
	if err != nil || line != "counted 20385713\n" {
		t.Fatalf("%q, %v", line, err)
	}
}

// TestMacOS links a program for macOS, which no test runs: what maps the run file is called by the names that libSystem has.
func TestMacOS(t *testing.T) {
	dir := copySparse(t, "killed")
	t.Setenv("GOOS", "darwin")
	t.Setenv("CGO_ENABLED", "0")
	for goarch, fstat := range map[string]string{"amd64": "_fstat64", "arm64": "_fstat"} {
		t.Setenv("GOARCH", goarch)
		program := filepath.Join(t.TempDir(), "program")
		run(t, dir, goprofinstr, "wrap", "-mode", "exact", "go", "build", "-o", program, ".")
		f, err := macho.Open(program)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		imported, err := f.ImportedSymbols()
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{fstat, "_pread", "_pwrite", "_writev", "_proc_pidpath", "_mmap", "_munmap"} {
			if n := len(slices.DeleteFunc(slices.Clone(imported), func(s string) bool { return s != name })); n != 1 {
				t.Errorf("%s: %s is imported %d times, want 1", goarch, name, n)
			}
		}
		symbols := make(map[string]macho.Symbol)
		for _, s := range f.Symtab.Syms {
			symbols[s.Name] = s
		}
		// Addresses of jumps are data of assembly, in place of the zeros that Go has for them.
		for _, name := range []string{"pwrite", "fstat", "mmap"} {
			s, ok := symbols["goprofinstr/rt/sys."+name+"Address"]
			if !ok || s.Sect == 0 || !strings.HasSuffix(f.Sections[s.Sect-1].Name, "rodata") {
				t.Errorf("%s: there is no address of %s: %+v", goarch, name, s)
			}
		}
	}
}
