package clone

import (
	"bytes"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/internal/pgofile"
	"github.com/goprofinstr/goprofinstr/rewrite/inline"
)

const source = `package p

type shape interface{ area() int }

type square struct{ side int }

func (s square) area() int { return s.side * s.side }

// large costs the inliner more than 80.
func large(x int) int {
	switch {
	case x > 100:
		return x*3 + x/7 - x%5
	case x > 10:
		return x*5 + x/9 - x%3 + x<<2
	case x > 1:
		return x*7 + x/11 - x%2 + x>>1
	}
	return x*2 + x/3 - x%7 + x<<1 + x&15 + x|16
}

// Sum is audited.
//
//go:noinline
func Sum(shapes []shape) (n int) {
	for _, s := range shapes {
		n += large(n)
		n += s.area()
	}
	return n
}
`

// TestCompiled has the compiler make different things of a function and its clone, of which it says itself what. The profile's
// edges are those of Sum, and given to its clone.
func TestCompiled(t *testing.T) {
	c, err := Add("p.go", []byte(source), "Sum", nil)
	if err != nil {
		t.Fatal(err)
	}
	start := strings.Count(source[:strings.Index(source, "func Sum")], "\n")
	line := func(what string) int { return strings.Count(source[:strings.Index(source, what)], "\n") - start }
	edges := []inline.Edge{
		{Caller: "p.Sum", Callee: "p.large", Offset: line("large(n)"), Weight: 100},
		{Caller: "p.Sum", Callee: "p.square.area", Offset: line("s.area()"), Weight: 100},
	}
	said := compile(t, c.Source, inline.Rename(edges, "p.Sum", "p."+c.Name))
	for _, what := range []string{"inlining call to large", "PGO devirtualizing interface call s.area to square.area", "p.go:28:14: inlining call to square.area"} {
		if n := strings.Count(said, what); n != 1 {
			t.Errorf("%d times %q, want it for one of the two:\n%s", n, what, said)
		}
	}
	if plain := compile(t, c.Source, nil); strings.Contains(plain, "inlining call to large") {
		t.Errorf("without the profile:\n%s", plain)
	}
	if both := compile(t, c.Source, append(inline.Rename(edges, "p.Sum", "p."+c.Name), edges...)); strings.Count(both, "inlining call to large") != 2 {
		t.Errorf("with the edges of both:\n%s", both)
	}
}

// compile returns what the compiler says with -m.
func compile(t *testing.T, src []byte, edges []inline.Edge) string {
	t.Helper()
	dir := t.TempDir()
	file, profile := filepath.Join(dir, "p.go"), filepath.Join(dir, "p.pgo")
	data, err := pgofile.Encode(edges)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, src, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(profile, data, 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "tool", "compile", "-p=p", "-m", "-o", os.DevNull)
	if len(edges) > 0 {
		cmd.Args = append(cmd.Args, "-pgoprofile="+profile)
	}
	cmd.Args = append(cmd.Args, file)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

func TestAdd(t *testing.T) {
	c, err := Add("p.go", []byte(source), "square.area", nil)
	if err != nil {
		t.Fatal(err)
	}
	added, ok := bytes.CutPrefix(c.Source, []byte(source))
	const want = "\n\n//goprofinstr:variant of=square.area\n//line :7:1\nfunc (s square) area_pgo() int { return s.side * s.side }\n"
	if !ok || string(added) != want || c.Name != "square.area_pgo" {
		t.Errorf("%s: %s", c.Name, added)
	}
	if c, _ := Add("p.go", []byte(source), "Sum", nil); !strings.Contains(string(c.Source[len(source):]), "//go:noinline\n") {
		t.Error("a directive is lost")
	}
	const apart = "package p\n\n//go:noinline\n\n// F does nothing.\nfunc F() {}\n"
	if c, _ := Add("p.go", []byte(apart), "F", nil); !strings.Contains(string(c.Source[len(apart):]), "//go:noinline\n") {
		t.Error("a directive above a blank line is lost")
	}
	c2, err := Add("p.go", c.Source, "square.area", nil)
	if err != nil || c2.Name != "square.area_pgo_" {
		t.Errorf("where the name is taken: %+v, %v", c2, err)
	}
}

// TestAddNames has the name of a clone in another file.
func TestAddNames(t *testing.T) {
	others := [][]byte{[]byte("package p\n"), []byte("package p\n\nfunc Sum_pgo() {}\n")}
	if c, err := Add("p.go", []byte(source), "Sum", others); err != nil || c.Name != "Sum_pgo_" {
		t.Errorf("clone %s, error %v; want Sum_pgo_", c.Name, err)
	}
}

// TestAddLines has line directives before a function and in it. Calls in its clone are as many lines behind its start.
func TestAddLines(t *testing.T) {
	const src = "package p\n\n//line a.y:20\nfunc before() {}\n\nfunc F() {\n\tbefore()\n//line a.y:30\n\tbefore()\n}\n"
	c, err := Add("p.go", []byte(src), "F", nil)
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "p.go", c.Source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	positions := func(function string) (list []string) {
		d := declaration(f, function)
		list = append(list, fset.Position(d.Pos()).String())
		for _, s := range d.Body.List {
			list = append(list, fset.Position(s.Pos()).String())
		}
		return list
	}
	want := []string{"a.y:22", "a.y:23", "a.y:30"}
	if of, its := positions("F"), positions("F_pgo"); !slices.Equal(of, want) || !slices.Equal(its, want) {
		t.Errorf("positions are %q, and %q in the clone; want %q", of, its, want)
	}
}

func TestRefuse(t *testing.T) {
	const src = "package main\n\nfunc init() {}\nfunc main() {}\nfunc ext()\nfunc gen[T any](x T) {}\ntype list[T any] []T\nfunc (l *list[T]) m() {}\n"
	for fn, want := range map[string]string{
		"init":              "p.go:3:1: init: it cannot be called",
		"main":              "p.go:4:1: main: it cannot be called",
		"ext":               "p.go:5:1: ext: it has no body here",
		"gen":               "p.go:6:1: gen: it has type parameters, and the compiler gives each instance a name of its own",
		"(*list[...]).m":    "p.go:8:1: (*list[...]).m: it has type parameters, and the compiler gives each instance a name of its own",
		"(*list[...]).miss": "p.go: no function (*list[...]).miss",
	} {
		if _, err := Add("p.go", []byte(src), fn, nil); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", fn, err, want)
		}
	}
	if f := Functions([]byte(src)); !slices.Equal(f, []string{"init", "main", "ext", "gen", "(*list[...]).m"}) {
		t.Errorf("functions %q", f)
	}
}
