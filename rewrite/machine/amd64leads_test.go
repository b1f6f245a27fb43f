package machine

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestLeadsFast compares what instructions of a whole program lead to, at each byte of its text, with what decoding them says.
func TestLeadsFast(t *testing.T) {
	source, program := filepath.Join(t.TempDir(), "main.go"), filepath.Join(t.TempDir(), "main")
	const hello = "package main\n\nimport \"go/printer\"\n\nfunc main() { println(printer.Fprint) }\n"
	if err := os.WriteFile(source, []byte(hello), 0o666); err != nil {
		t.Fatal(err)
	}
	build := exec.Command("go", "build", "-o", program, source)
	build.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	f, err := elf.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := f.Section(".text")
	text, err := s.Data()
	if err != nil {
		t.Fatal(err)
	}
	fast, all, wrong := 0, 0, 0
	for at := range text {
		got, l, ok := leadsFast(text[at:], s.Addr+uint64(at))
		all++
		if !ok {
			continue
		}
		fast++
		in, vex, decoded := decode(text[at:])
		if !decoded {
			continue // Decode refuses the function
		}
		n, want := leadsOf(in, vex, s.Addr+uint64(at))
		if got != n || l != want {
			if wrong++; wrong < 20 {
				t.Errorf("% x: length %d, %+v; want %d, %+v, %v", text[at:at+15], got, l, n, want, in)
			}
		}
	}
	if fast < all/2 {
		t.Errorf("%d of %d are frequent", fast, all)
	}
	t.Logf("%d of %d, %d wrong", fast, all, wrong)
}
