package results

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestBuildID builds programs that differ in a constant: they have the build IDs that the go command tells, or none.
func TestBuildID(t *testing.T) {
	dir := t.TempDir()
	build := func(text string, flags ...string) (id, want string) {
		main, program := filepath.Join(dir, "main.go"), filepath.Join(dir, "main")
		if err := os.WriteFile(main, []byte("package main\n\nfunc main() { println(\""+text+"\") }\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("go", append(append([]string{"build", "-o", program}, flags...), main)...)
		cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		out, err := exec.Command("go", "tool", "buildid", program).Output()
		if err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(program)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		return buildID(f), strings.TrimSpace(string(out))
	}
	first, want := build("first")
	if first == "" || first != want {
		t.Errorf("got %q, want %q", first, want)
	}
	if second, _ := build("second"); second == first {
		t.Errorf("two programs have the build ID %q", first)
	}
	if id, _ := build("none", "-ldflags=-buildid="); id != "" {
		t.Errorf("got %q where there is none", id)
	}
}
