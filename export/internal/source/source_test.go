package source

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/export/profiledir"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

const text = "package p\n\nfunc F() int {\n\treturn 1\n}\n"

// function returns F of text.
func function(file string) *profile.Function {
	return &profile.Function{Package: "example.com/m/p", Table: &table.Function{
		Name: "example.com/m/p.F", File: file, Line: 3, EndLine: 5, Body: table.Block{Line: 3, Col: 14, EndLine: 5, EndCol: 2},
		Blocks: []table.Block{{Line: 4, Col: 2, EndLine: 4, EndCol: 10}, {}},
	}}
}

// TestSums: a file whose hash is known is what ran, or of no use.
func TestSums(t *testing.T) {
	for name, test := range map[string]struct {
		file, text string
		sum        []byte
		built      bool
		want       string // of the error
	}{
		"as it was":          {"p/p.go", text, table.SumOf([]byte(text)), true, ""},
		"with CRs":           {"p/p.go", strings.ReplaceAll(text, "\n", "\r\n"), table.SumOf([]byte(text)), true, ""},
		"as in a manifest":   {"p/p.go", text + "\r\n", sha256Of(text + "\r\n"), false, ""},
		"another expression": {"p/p.go", strings.Replace(text, "1", "2", 1), table.SumOf([]byte(text)), true, "has changed since the program was built: -src takes the sources"},
		"the same in a wrap": {"p/p.go", strings.Replace(text, "1", "2", 1), table.SumOf([]byte(text)), false, "has changed since the run"},
		"not known":          {"p/p.go", strings.Replace(text, "1", "2", 1), nil, true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			if err := os.MkdirAll(filepath.Join(root, "p"), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(root, "p", "p.go"), []byte(test.text), 0o666); err != nil {
				t.Fatal(err)
			}
			files := New(&profile.Profile{Root: root, Built: test.built, Sums: map[string]table.Sum{test.file: test.sum}})
			f := function(test.file)
			_, errWhole := files.Whole(f)
			file, err := files.Function(f)
			switch {
			case test.want == "" && (err != nil || errWhole != nil):
				t.Error(err, errWhole)
			case test.want == "" && file.Verified != (test.sum != nil):
				t.Errorf("verified: %t", file.Verified)
			case test.want != "" && (err == nil || errWhole == nil || !strings.Contains(err.Error(), test.want)):
				t.Errorf("error %v, want %s", err, test.want)
			}
		})
	}
	// Hashes of lines say more.
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "p.go"), []byte("// Package p.\n"+text), 0o666); err != nil {
		t.Fatal(err)
	}
	p := &profile.Profile{
		Root: root, Sums: map[string]table.Sum{"p.go": table.SumOf([]byte(text))},
		LineSums: map[string][]byte{"p.go": profiledir.LineSums(text)},
	}
	file, err := New(p).Function(function("p.go"))
	if err != nil || file.Moved != 1 {
		t.Errorf("%+v, %v", file, err)
	}
}

func sha256Of(text string) []byte {
	sum := sha256.Sum256([]byte(text))
	return sum[:]
}

// TestFunction says of each state that a source can be in what a user is told.
func TestFunction(t *testing.T) {
	for name, test := range map[string]struct {
		file, text string
		want       string // of the error
	}{
		"as it was":       {"p/p.go", text, ""},
		"with CRs":        {"p/p.go", strings.ReplaceAll(text, "\n", "\r\n"), ""},
		"a comment more":  {"p/p.go", "// Package p.\n" + text, ""},
		"a comment less":  {"p/p.go", strings.Replace(text, "\n", "", 1), ""},
		"another name":    {"p/p.go", "// Package p.\n" + strings.Replace(text, "F", "G", 1), "has changed since the run"},
		"a line more":     {"p/p.go", strings.Replace(text, "\treturn", "\n\treturn", 1), "has changed since the run: p.F is not on lines 3 to 5 any more"},
		"shorter":         {"p/p.go", "package p\n", "has changed since the run"},
		"another brace":   {"p/p.go", strings.Replace(text, "int {", "int8 {", 1), "has changed since the run"},
		"gone":            {"p/gone.go", text, "is not there any more"},
		"above":           {"../p.go", text, "is not beneath"},
		"no source":       {"p/secret", text, "is no Go file"},
		"a folder":        {"p/folder.go", text, "is no source file"},
		"by its name":     {"ROOT/p/p.go", text, ""},
		"a secret":        {"OUTSIDE/p.go", text, "is not beneath"},
		"a link to it":    {"p/secret.go", text, "path escapes from parent"},
		"a linked folder": {"p/outside/p.go", text, "path escapes from parent"},
		"a link within":   {"p/link.go", text, ""},
		"a device":        {"p/device.go", text, "path escapes from parent"},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			for _, dir := range []string{"p", "p/folder.go"} {
				if err := os.Mkdir(filepath.Join(root, dir), 0o777); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.WriteFile(filepath.Join(root, "p", "p.go"), []byte(test.text), 0o666); err != nil {
				t.Fatal(err)
			}
			outside := t.TempDir()
			if err := os.WriteFile(filepath.Join(outside, "p.go"), []byte(test.text), 0o666); err != nil {
				t.Fatal(err)
			}
			for name, to := range map[string]string{"secret.go": outside + "/p.go", "outside": outside, "link.go": "p.go", "device.go": "/dev/zero"} {
				if err := os.Symlink(to, filepath.Join(root, "p", name)); err != nil {
					t.Skip(err)
				}
			}
			named := strings.NewReplacer("ROOT", root, "OUTSIDE", outside).Replace(test.file)
			file, err := New(&profile.Profile{Root: root}).Function(function(named))
			switch {
			case test.want == "" && err != nil:
				t.Error(err)
			case test.want == "" && file.Lines[3] != "\treturn 1":
				t.Errorf("line 4 is %q", file.Lines[3])
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
				t.Errorf("error %v, want %s", err, test.want)
			}
		})
	}
}

// TestOutside asks the go command for a package of the standard library and for one that nobody has.
func TestOutside(t *testing.T) {
	files := New(&profile.Profile{Root: t.TempDir()})
	f := &profile.Function{Package: "sort", Table: &table.Function{Name: "sort.Ints", File: "sort/sort.go", Line: 1, EndLine: 2}}
	if file, err := files.Function(f); err != nil || !strings.Contains(file.Text, "package sort") {
		t.Errorf("sort: %v", err)
	}
	f = &profile.Function{Package: "example.com/none", Table: &table.Function{Name: "example.com/none.F", File: "example.com/none/f.go"}}
	if _, err := files.Function(f); err == nil || !strings.Contains(err.Error(), "go list does not know package example.com/none") {
		t.Errorf("error %v", err)
	}
	f = &profile.Function{Package: "../secret", Table: &table.Function{Name: "../secret.F", File: "../secret/f.go"}}
	if _, err := files.Function(f); err == nil || !strings.Contains(err.Error(), "go list does not know package ../secret") {
		t.Errorf("error %v", err)
	}
	f = &profile.Function{Package: "sort", Table: &table.Function{Name: "sort.Ints", File: filepath.Join(runtime.GOROOT(), "src/sort/sort.go"), Line: 1, EndLine: 2}}
	if _, err := files.Function(f); err != nil {
		t.Errorf("a file that the go command knows: %v", err)
	}
	f.Table.File = filepath.Join(runtime.GOROOT(), "src/slices/sort.go")
	if _, err := files.Function(f); err == nil || !strings.Contains(err.Error(), "is not beneath") {
		t.Errorf("a file of another package: %v", err)
	}
	f = &profile.Function{Package: "example.com/none", Table: &table.Function{Name: "example.com/none.F", File: "example.com/none/f.go"}}
	if _, err := New(&profile.Profile{}).Function(f); err == nil || !strings.Contains(err.Error(), "does not say where its sources are") {
		t.Errorf("error %v", err)
	}
}

// TestLineSums: where it is known of each line what it was, functions are those of the run, or what is left of them.
func TestLineSums(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		want string // lines 3 to 5 of the run, or the error
	}{
		"as it was":              {text, "func F() int {|\treturn 1|}"},
		"with CRs":               {strings.ReplaceAll(text, "\n", "\r\n"), "func F() int {|\treturn 1|}"},
		"a comment more":         {"// Package p.\n" + text, "func F() int {|\treturn 1|}, moved by 1"},
		"a comment less":         {strings.Replace(text, "\n", "", 1), "func F() int {|\treturn 1|}, moved by -1"},
		"a line more":            {strings.Replace(text, "\treturn", "\n\treturn", 1), "func F() int {|\treturn 1|}, edited"},
		"another value":          {strings.Replace(text, "1", "2", 1), "func F() int {||}, edited"},
		"another head":           {strings.Replace(text, "int {", "int8 {", 1), "|\treturn 1|}, edited"},
		"another name, and more": {"// Package p.\n" + strings.NewReplacer("F", "G", "1", "2").Replace(text), "has changed since the run: p.F is not"},
		"shorter":                {"package p\n", "has changed since the run: p.F is not"},
	} {
		root := t.TempDir()
		if err := os.Mkdir(filepath.Join(root, "p"), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, "p", "p.go"), []byte(test.text), 0o666); err != nil {
			t.Fatal(err)
		}
		p := &profile.Profile{Root: root, LineSums: map[string][]byte{"p/p.go": profiledir.LineSums(text)}}
		f := function("p/p.go")
		file, err := New(p).Function(f)
		if err != nil {
			if !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s: error %v", name, err)
			}
			continue
		}
		got := strings.Join(file.Lines[2:5], "|")
		switch {
		case file.Edited:
			got += ", edited"
		case file.Moved != 0:
			got += fmt.Sprintf(", moved by %d", file.Moved)
		}
		if got != test.want || file.Verified == file.Edited {
			t.Errorf("%s: %s, verified %v", name, got, file.Verified)
		}
		for n := 3; n <= 5; n++ {
			now := file.Now(n)
			if is := strings.Split(strings.ReplaceAll(test.text, "\r", ""), "\n"); now > 0 && (is[now-1] != file.Lines[n-1] || file.Then(now) != n) {
				t.Errorf("%s: line %d is %d now", name, n, now)
			}
		}
	}
}

// TestDamagedSums: hashes of another file, or of no whole lines, are no reason to panic.
func TestDamagedSums(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "p.go"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, sums := range []string{"", "x", "abcd", "abcdabcd", strings.Repeat("abcd", 100)} {
		p := &profile.Profile{Root: root, LineSums: map[string][]byte{"p.go": []byte(sums)}}
		file, err := New(p).Function(function("p.go"))
		if unknown := len(sums)%4 != 0 || sums == ""; (err == nil) != unknown {
			t.Errorf("%q: %v, error %v", sums, file, err)
		}
	}
}

// TestDamagedTable: a body that is elsewhere than its function is no reason to panic, nor is it shown.
func TestDamagedTable(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "p.go"), []byte(strings.Replace(text, "1", "2", 1)), 0o666); err != nil {
		t.Fatal(err)
	}
	p := &profile.Profile{Root: root, LineSums: map[string][]byte{"p.go": profiledir.LineSums(text)}}
	const want = "has changed since the run: p.F is not on lines 3 to 5"
	for _, lines := range [][2]int{{500_000, 500_000}, {500_000, 5}, {-1, 5}, {2, 5}, {3, 6}} {
		f := function("p.go")
		f.Table.Body.Line, f.Table.Body.EndLine = lines[0], lines[1]
		if _, err := New(p).Function(f); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("body on lines %d: error %v", lines, err)
		}
	}
}

// TestConcurrent has goroutines look at one file at the same time, for the race detector. Lines of another function have changed.
func TestConcurrent(t *testing.T) {
	root := t.TempDir()
	const more = "\nfunc G() int { return 1 }\n"
	if err := os.WriteFile(filepath.Join(root, "p.go"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	files := New(&profile.Profile{Root: root, LineSums: map[string][]byte{"p.go": profiledir.LineSums(text + more)}})
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if file, err := files.Function(function("p.go")); err != nil || !file.Verified {
				t.Errorf("%+v, %v", file, err)
			}
		})
	}
	all.Wait()
}
