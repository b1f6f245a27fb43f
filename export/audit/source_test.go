package audit

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestAddSources reads what is declared on the lines of versions, and nothing outside of the folder.
func TestAddSources(t *testing.T) {
	dir := t.TempDir()
	root := filepath.Join(dir, "m")
	const text = "package p\n\n// F is first.\nfunc F() {\n}\n\ntype T struct{}\n\nfunc (T) M() int { return 1 }\n"
	for name, data := range map[string]string{"m/p/p.go": text, "m/p/bad.go": "package", "m/p/p.txt": text, "secret.go": text} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(dir, "secret.go"), filepath.Join(root, "link.go")); err != nil {
		t.Skip(err)
	}
	for _, test := range []struct {
		file string
		line int
		want string
	}{
		{"p/p.go", 4, "func F() {\n}"},
		{"p/p.go", 9, "func (T) M() int { return 1 }"},
		{"p/p.go", 7, ""},
		{"p/bad.go", 1, ""},
		{"p/p.txt", 4, ""},
		{"p/none.go", 4, ""},
		{"../secret.go", 4, ""},
		{"link.go", 4, ""},
		{filepath.Join(dir, "secret.go"), 4, ""},
		{"", 0, ""},
	} {
		r := &Report{Functions: []Function{{Versions: []Version{{File: test.file, Line: test.line}}}}}
		r.AddSources(root)
		if got := r.Functions[0].Versions[0].Source; got != test.want {
			t.Errorf("%s:%d: %q, want %q", test.file, test.line, got, test.want)
		}
	}
}

// TestBeside has equal lines in one row, and those between them beside each other.
func TestBeside(t *testing.T) {
	a := &Version{Line: 5, Source: "f {\n\tone\n\ttwo\n\tend\n}"}
	b := &Version{Line: 20, Source: "f {\n\tother\n\tend\n\tmore\n}"}
	var got []string
	for _, r := range beside(a, b) {
		got = append(got, fmt.Sprintf("%d %s|%d %s|%v", r.A, strings.TrimSpace(r.TextA), r.B, strings.TrimSpace(r.TextB), r.Same))
	}
	want := []string{"5 f {|20 f {|true", "6 one|21 other|false", "7 two|0 |false", "8 end|22 end|true", "0 |23 more|false", "9 }|24 }|true"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	same := Function{Versions: []Version{{Source: "x"}, {Source: "x"}, {}}}
	if list := same.sources(); list != nil {
		t.Errorf("versions of one source, and without, are shown beside each other: %v", list)
	}
}

// TestFindSources looks for versions by name, in the package that the function is of.
func TestFindSources(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"m.go":       "package m\n\nfunc F() {}\n\nfunc G() {}\n\ntype T[E any] struct{}\n\nfunc (t *T[E]) M() {}\n\nfunc (t T[E]) N() {}\n",
		"p/p.go":     "package p\n\nfunc F() { println() }\n",
		"p/x.go":     "package p\n\nfunc Twice() {}\n",
		"p/y.go":     "package p\n\nfunc Twice() {}\n",
		"p/bad.go":   "package",
		"m_test.go":  "package m\n\nfunc H() {}\n",
		"p.x/dot.go": "package dot\n\nfunc F() { println(1) }\n",
	} {
		name = filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct{ function, version, want string }{
		{"example.com/m.F", "F", "m.go:3 func F() {}"},
		{"example.com/m.F", "G", "m.go:5 func G() {}"},
		{"example.com/m.F (loop at line 3)", "G", "m.go:5 func G() {}"},
		{"example.com/m.(*T).M", "(*T).M", "m.go:9 func (t *T[E]) M() {}"},
		{"example.com/m.(*T).M", "T.N", "m.go:11 func (t T[E]) N() {}"},
		{"example.com/m/p.F", "F", "p/p.go:3 func F() { println() }"},
		{"example.com/m/p.F", "Twice", ":0 "},
		{"example.com/m/none.F", "F", ":0 "},
		{"example.com/m.F", "H", ":0 "},
		{"example.com/m2.F", "F", ":0 "},
		{"../m.F", "F", ":0 "},
		{"example.com/m/../../p.F", "F", ":0 "},
		{"", "", ":0 "},
	} {
		r := &Report{Functions: []Function{{Name: test.function, Versions: []Version{{Name: test.version}}}}}
		r.FindSources(root, "example.com/m")
		v := &r.Functions[0].Versions[0]
		if got := v.place() + " " + v.Source; got != test.want || r.FoundLater != (v.Source != "") {
			t.Errorf("%s, %s: %s, want %s", test.function, test.version, got, test.want)
		}
	}
}
