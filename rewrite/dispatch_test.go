package rewrite

import (
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/goprofinstr/goprofinstr/rewrite/load"
)

// TestDispatch compares the dispatchers of functions of all kinds with a golden file, and type-checks them.
func TestDispatch(t *testing.T) { checkGolden(t, "testdata/audit/dispatch.txtar", 1) }

// TestDispatchLoops has timing points in loops, and loops that have none.
func TestDispatchLoops(t *testing.T) { checkGolden(t, "testdata/audit/loops.txtar", 1) }

// TestDispatchCopies has three copies of each version, which call themselves, and have the timing points of their version.
func TestDispatchCopies(t *testing.T) { checkGolden(t, "testdata/audit/copies.txtar", 3) }

func checkGolden(t *testing.T, name string, copies int) {
	ar, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	out, err := dispatchSource(t, ar.Files[0].Data, copies)
	if err != nil {
		t.Fatal(err)
	}
	checkDispatched(t, ar.Files[0].Data, out)
	got := &txtar.Archive{Comment: ar.Comment, Files: []txtar.File{ar.Files[0], {Name: "out.go", Data: out}}}
	compareGolden(t, name, ar, got)
}

// TestDispatchClones has a function call itself, by a method value, too, and its clone; a variant calls the function.
func TestDispatchClones(t *testing.T) {
	const src = `package p

type T struct{ next *T }

func (t *T) F(n int) int { f := t.next.F; return f(n) + t.next.F(n) }

//goprofinstr:variant of=F
func (t *T) F_pgo(n int) int { f := t.next.F; return f(n) + t.next.F(n) }

//goprofinstr:variant of=F
func (t *T) g(n int) int { return t.next.F(n) }
`
	out, err := dispatchSource(t, []byte(src), 1, "p.(*T).F_pgo")
	if err != nil {
		t.Fatal(err)
	}
	checkDispatched(t, []byte(src), out)
	for _, want := range []string{
		"gpi_original_T_F(n int) int { f := t.next.gpi_original_T_F; return f(n) + t.next.gpi_original_T_F(n) }",
		"F_pgo(n int) int { f := t.next.F_pgo; return f(n) + t.next.F_pgo(n) }",
		"g(n int) int { return t.next.gpi_original_T_F(n) }",
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %s in\n%s", want, out)
		}
	}
}

// TestDispatchGenericMethods has a method with type parameters, which Go 1.27 has.
func TestDispatchGenericMethods(t *testing.T) {
	const src = `package p

type T struct{}

func (t *T) F[E any](s string) (e E, err error) { return }

//goprofinstr:variant of=F
func (t *T) g[E any](s string) (e E, err error) { return t.F[E](s) }
`
	if _, err := parser.ParseFile(token.NewFileSet(), "in.go", src, 0); err != nil {
		t.Skip("this release of Go has no generic methods:", err)
	}
	out, err := dispatchSource(t, []byte(src), 1)
	if err != nil {
		t.Fatal(err)
	}
	checkDispatched(t, []byte(src), out)
}

// dispatchSource makes the dispatchers of one file.
func dispatchSource(t *testing.T, src []byte, copies int, clones ...string) ([]byte, error) {
	t.Helper()
	p := &load.Package{Path: "p"}
	if err := errors.Join(p.Add(&load.File{Name: "in.go", Src: src}), p.Parse()); err != nil {
		t.Fatal(err)
	}
	all := func(path, name string) bool { return true }
	options := AuditOptions{Select: all, Clones: make(map[string]bool), Copies: copies, Sizes: types.SizesFor("gc", "amd64")}
	for _, name := range clones {
		options.Clones[name] = true
	}
	audited, err := auditPackage(p, importer.Default(), options)
	if err != nil {
		return nil, err
	}
	return audited.Files["in.go"], nil
}

// checkDispatched type-checks rewritten code, and makes sure that all statements are still on the lines on which they were.
func checkDispatched(t *testing.T, src, out []byte) {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "in.go", out, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	conf := types.Config{Importer: rtImporter{importer.Default()}}
	if _, err := conf.Check("p", fset, []*ast.File{f}, nil); err != nil {
		t.Error(err)
	}
	lines := strings.Split(string(src), "\n")
	for _, decl := range f.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || !strings.HasPrefix(fn.Name.Name, "gpi_original_") {
			continue
		}
		for _, s := range fn.Body.List {
			line := fset.Position(s.Pos()).Line
			words := strings.Fields(string(out[fset.PositionFor(s.Pos(), false).Offset:]))
			if strings.HasPrefix(words[1], "gpi_") { // of a timing point
				continue
			}
			text := words[0]
			if !strings.Contains(lines[line-1], text) && !strings.Contains(text, "gpi_") {
				t.Errorf("%s: %q is said to be on line %d: %s", fn.Name.Name, text, line, lines[line-1])
			}
		}
	}
}

// TestDispatchOrder has a variable whose value calls an audited function, in front of one that depends on what that does.
func TestDispatchOrder(t *testing.T) {
	const src = `package p

var _ = F()
var a = 1

func F() bool { a++; return a > 0 }

//goprofinstr:variant of=F
func g() bool { return true }

var b = a
`
	order := func(text []byte) (names []string) {
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, "in.go", text, 0)
		if err != nil {
			t.Fatal(err)
		}
		conf, info := types.Config{Importer: rtImporter{importer.Default()}}, new(types.Info)
		if _, err := conf.Check("p", fset, []*ast.File{f}, info); err != nil {
			t.Fatal(err)
		}
		for _, set := range info.InitOrder {
			if text := set.String(); !strings.Contains(text, "gpi_") {
				names = append(names, text)
			}
		}
		return names
	}
	for _, copies := range []int{1, 3} {
		out, err := dispatchSource(t, []byte(src), copies)
		if err != nil {
			t.Fatal(err)
		}
		if want, got := order([]byte(src)), order(out); !slices.Equal(want, got) {
			t.Errorf("%d copies: variables are set in the order %q, want %q", copies, got, want)
		}
	}
}

// importing is an importer.
type importing func(path string) (*types.Package, error)

func (f importing) Import(path string) (*types.Package, error) { return f(path) }

func TestVariantMistakes(t *testing.T) {
	for _, test := range []struct{ src, want string }{
		{"func F()\n//goprofinstr:variant of=F\nfunc g() {}", "in.go:3:1: F cannot be audited: it has no body in Go"},
		{"//goprofinstr:variant of=F\nfunc F() {}", "in.go:2:1: F cannot be a variant of itself"},
		{"func F() {}\n//goprofinstr:variant F\nfunc g() {}", "in.go:3:1: want //goprofinstr:variant of=FUNCTION"},
		{"func F() {}\n//goprofinstr:variant of=F\ntype g int", "in.go:3:1: //goprofinstr:variant of=F belongs right above a function"},
		{"func init() {}\n//goprofinstr:variant of=init\nfunc g() {}", "in.go:3:1: init cannot be audited: nothing calls it by its name"},
		{"//go:nosplit\nfunc F() {}\n//goprofinstr:variant of=F\nfunc g() {}", "in.go:4:1: F cannot be audited: it is marked go:nosplit, and the call of a dispatcher needs a stack that can grow"},
		{"func F[T, _ any](T) {}\n//goprofinstr:variant of=F\nfunc g[T, U any](T) {}",
			"in.go:3:1: F cannot be audited: it has a type parameter without a name, which the call of a dispatcher cannot give"},
		{"func F(v any) { _ = func() { type t int; _, _ = v.(*t) } }\n//goprofinstr:variant of=F\nfunc g(any) {}",
			"in.go:3:1: F cannot be audited: " +
				"it declares type t, by which values are told, and which is another in each copy; declare it outside of functions"},
		{"var kept map[any]int\nfunc F() { type t = int }\n//goprofinstr:variant of=F\nfunc g() { type u int; kept[u(1)]++ }",
			"in.go:4:1: g cannot be audited: " +
				"it declares type u, by which values are told, and which is another in each copy; declare it outside of functions"},
		{"func F[T any](T) {}\n//goprofinstr:variant of=F\nfunc g[T comparable](T) {}", "in.go:3:1: F and g differ in their signatures: func[T any](T) and func[T comparable](T)"},
		{"func F(...int) {}\n//goprofinstr:variant of=F\nfunc g([]int) {}", "in.go:3:1: F and g differ in their signatures: func(...int) and func([]int)"},
		{"type T[E any] []E\nfunc (T[E]) F(E) {}\n//goprofinstr:variant of=F\nfunc (T[X]) g(X) X { panic(1) }", "in.go:4:1: T.F and T.g differ in their signatures: func(E) and func(X) X"},
		{"type T[E any] []E\nfunc (T[E]) F(E) {}\n//goprofinstr:variant of=T.F\nfunc g[E, D any](T[E], E) {}", "in.go:4:1: T.F and g differ in their signatures: func(E) and func[E, D any](T[E], E)"},
	} {
		_, err := dispatchSource(t, []byte("package p\n"+test.src+"\n"), 1)
		if err == nil || err.Error() != test.want {
			t.Errorf("%s\n got %v\nwant %s", test.src, err, test.want)
		}
	}
}

// TestOtherDirectives: the directives of other commands do not keep a function, or a package, from being audited.
func TestOtherDirectives(t *testing.T) {
	const others = `//goprofinstr:ignore an example

package p

//goprofinstr:kinds trips
func F(n int) int { //goprofinstr:value
	if n < 0 { //goprofinstr:ignore never
		return 0
	}
	m := n //goprofinstr:value
	return m
}
`
	const variant = `
//goprofinstr:ignore by hand
//goprofinstr:variant of=F
func g(n int) int { return n }
`
	out, err := dispatchSource(t, []byte(others+variant), 1)
	if err != nil {
		t.Fatal(err)
	}
	checkDispatched(t, []byte(others+variant), out)
	for src, want := range map[string]bool{
		"package p\n": false, others: false, others + variant: true, "//goprofinstr:ignored": true, "//goprofinstr:value\r\n": false,
		"//goprofinstr:varient of=F\n": true, "//goprofinstr: value": true, "//goprofinstr:value": false,
	} {
		if HasVariants([]byte(src)) != want {
			t.Errorf("%q: got %v", src, !want)
		}
	}
}

// TestDispatchMany: all of many versions are in the table of a switch. The default would not be, and its timings would be longer.
func TestDispatchMany(t *testing.T) {
	src := "package p\n\nfunc F() int { return 0 }\n"
	for _, letter := range "BCDEFGH" {
		src += "\n//goprofinstr:variant of=F\nfunc F" + string(letter) + "() int { return 0 }\n"
	}
	out, err := dispatchSource(t, []byte(src), 1)
	if err != nil {
		t.Fatal(err)
	}
	checkDispatched(t, []byte(src), out)
	if text := string(out); strings.Contains(text, "default:") || strings.Count(text, "case 7:") != 2 {
		t.Errorf("%s", text)
	}
}
