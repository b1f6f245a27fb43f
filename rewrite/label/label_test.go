package label

import (
	"bytes"
	"flag"
	"fmt"
	"go/doc"
	"go/parser"
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/goprofinstr/goprofinstr/ssacfg/mark"
)

var update = flag.Bool("update", false, "write testdata anew")

// TestPieces has a file for the constructs of the language, with the pieces that they are divided into. Each line is a
// piece, with its function and its kind.
func TestPieces(t *testing.T) {
	const name = "testdata/pieces.txtar"
	a, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var out txtar.Archive
	for _, f := range a.Files {
		if filepath.Ext(f.Name) != ".go" {
			continue
		}
		p := insert(t, Source{Name: f.Name, Src: f.Data})
		var b bytes.Buffer
		for i, l := range p.Table.Files[0].Labels {
			text := strings.Join(strings.Fields(string(f.Data[l.From:l.To])), " ")
			fmt.Fprintf(&b, "%-3d %-14s %-8s %s\n", i, l.Function, l.Kind, text)
		}
		out.Files = append(out.Files, f, txtar.File{Name: strings.TrimSuffix(f.Name, ".go") + ".pieces", Data: b.Bytes()})
	}
	if *update {
		if err := os.WriteFile(name, txtar.Format(&out), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if diff := cmp.Diff(string(txtar.Format(a)), string(txtar.Format(&out))); diff != "" {
		t.Errorf("-want +got; with -update it is written anew:\n%s", diff)
	}
}

func insert(t *testing.T, s ...Source) *Package {
	t.Helper()
	p, err := Insert("p", s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// sources returns files with all kinds of syntax: some of the standard library, and those of TestPieces.
func sources(t *testing.T) []Source {
	t.Helper()
	var names []string
	for _, dir := range []string{
		"bufio", "cmd/compile/internal/syntax", "encoding/json", "go/printer",
		"slices", "strconv",
	} {
		found, err := filepath.Glob(filepath.Join(runtime.GOROOT(), "src", dir, "*.go"))
		if err != nil || len(found) == 0 {
			t.Skipf("no source of %s: %v", dir, err)
		}
		names = append(names, found...)
	}
	var list []Source
	for _, name := range names {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, Source{Name: name, Src: src})
	}
	archives, err := filepath.Glob("../testdata/*.txtar") // one for each kind of syntax
	if err != nil || len(archives) == 0 {
		t.Fatal(archives, err)
	}
	for _, name := range append(archives, "testdata/pieces.txtar") {
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range a.Files {
			if filepath.Ext(f.Name) == ".go" {
				list = append(list, Source{Name: "/src/" + f.Name, Src: f.Data})
			}
		}
	}
	return list
}

// A scanned is a token or comment of a file, with its position by line directives.
type scanned struct {
	Tok  token.Token
	Text string
	File string
	Line int
	Col  int
}

// scan returns the tokens and comments of a file, but for the directives with labels and those that end them. It also
// returns the labels of the tokens; no label is -1.
func scan(t *testing.T, s Source) (list []scanned, labels []int) {
	t.Helper()
	fset := token.NewFileSet()
	file := fset.AddFile(s.Name, -1, len(s.Src))
	var sc scanner.Scanner
	sc.Init(file, s.Src, func(at token.Position, msg string) { t.Errorf("%v: %s", at, msg) }, scanner.ScanComments)
	for {
		pos, tok, text := sc.Scan()
		if tok == token.EOF {
			return list, labels
		}
		if tok == token.COMMENT && strings.HasPrefix(text, "/*line ") {
			continue
		}
		p := fset.Position(pos)
		name, label, ok := Split(p.Filename)
		if !ok {
			label = -1
		}
		if tok == token.COMMENT || tok == token.SEMICOLON && text == "\n" {
			p, name = token.Position{}, "" // nobody asks
		} else {
			labels = append(labels, label)
		}
		list = append(list, scanned{tok, text, name, p.Line, p.Column})
	}
}

// TestNothingElse makes sure that a file with labels has the tokens, comments and positions of the original. Each token
// must have the label whose piece it is in.
func TestNothingElse(t *testing.T) {
	total := 0
	for _, s := range sources(t) {
		p := insert(t, s)
		src, ok := p.Files[s.Name]
		if !ok {
			continue
		}
		want, _ := scan(t, s)
		got, labels := scan(t, Source{Name: s.Name, Src: src})
		if !slices.Equal(want, got) {
			t.Fatalf("%s: -want +got:\n%s", s.Name, cmp.Diff(want, got))
		}
		pieces, k := p.Table.Files[0].Labels, 0
		for i, lexeme := range lay(s.Name, s.Src).tokens {
			for k < len(pieces) && pieces[k].To <= lexeme.offset {
				k++
			}
			want := -1
			if k < len(pieces) && pieces[k].From <= lexeme.offset {
				want = k
			}
			if labels[i] != want {
				t.Fatalf("%s: token %d has label %d, want %d", s.Name, i, labels[i], want)
			}
		}
		total += len(p.Table.Files[0].Labels)
	}
	if total < 10000 {
		t.Errorf("only %d labels", total)
	}
}

// TestPlaces holds pieces against the places of package mark, where the graph branches or comes together: none is inside a piece.
func TestPlaces(t *testing.T) {
	for _, s := range sources(t) {
		p := insert(t, s)
		labels := p.Table.Files[0].Labels
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, s.Name, s.Src, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		begins := make(map[int]bool)
		for _, l := range labels {
			begins[l.From] = true
		}
		l := lay(s.Name, s.Src)
		var marks mark.Package
		marks.File(f)
		places := make(map[int]bool)
		for _, p := range marks.Places {
			places[l.after(fset.File(p.Pos).Offset(p.Pos))] = true
		}
		for _, lexeme := range l.tokens {
			if places[lexeme.offset] && !begins[lexeme.offset] && !closes[lexeme.tok] {
				t.Errorf("%s:%d:%d: a place inside a piece", s.Name, lexeme.line, lexeme.col)
			}
		}
	}
}

// closes are tokens that no code is of: a place before one belongs to what follows.
var closes = map[token.Token]bool{
	token.LBRACE: true, token.RBRACE: true, token.ELSE: true, token.RPAREN: true, token.RBRACK: true,
	token.SEMICOLON: true, token.COMMA: true, token.COLON: true,
}

// TestUserLines has line directives of the user's, which keep their names and lines. Names stay as they are written.
func TestUserLines(t *testing.T) {
	const src = `package p

//line grammar.y:10
func f(a bool) int {
	if a {
//line other.y:20:5
		return 1
	}
	/*line :30:1*/ g(a); g(
//line third.y:40
a)
	return 2
}
`
	const want = `package p

//line grammar.y:10
func f(a bool) int {
	/*line grammar.y~gpi0:11*/if
/*line grammar.y~gpi1:11*/a {
//line other.y:20:5
		/*line other.y~gpi2:20:7*/return 1
	}
	/*line :30:1*/ /*line other.y~gpi3:30:2*/g(a); g(
//line third.y:40
/*line third.y~gpi3:40*/a)
	/*line third.y~gpi4:41*/return 2
/*line third.y~gpi5:42*/}/*line third.y:42*/
`
	p := insert(t, Source{Name: "/src/x.go", Trimmed: "p/x.go", Src: []byte(src)})
	got := strings.ReplaceAll(string(p.Files["/src/x.go"]), " \n", "\n")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	names := []string{"/src/x.go", "p/x.go", "/src/grammar.y", "/src/other.y", "/src/third.y"}
	if diff := cmp.Diff(names, p.Table.Files[0].Names()); diff != "" {
		t.Errorf("names: -want +got:\n%s", diff)
	}
}

// TestExamples holds the examples that the go command finds in a file with labels against those of the original.
func TestExamples(t *testing.T) {
	const src = `package p

func ExampleA() {
	f()
	// Output: a
}
func ExampleB() {
	if f() && g() {
	}

	// not this
	f(func() {
		// nor this
	})
	// Unordered output:
	// b
}

// ExampleC is one.
func ExampleC() {
	f() // Output: c
}

func ExampleD() { // Output:
}

func ExampleE() {
	f()
	// Output: e
	g()
}

func Example() {}
`
	p := insert(t, Source{Name: "/src/x_test.go", Src: []byte(src)})
	examples := func(src []byte) (list []doc.Example) {
		f, err := parser.ParseFile(token.NewFileSet(), "/src/x_test.go", src, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range doc.Examples(f) {
			list = append(list, doc.Example{
				Name: e.Name, Doc: e.Doc, Output: e.Output, Unordered: e.Unordered, EmptyOutput: e.EmptyOutput,
			})
		}
		return list
	}
	want := examples([]byte(src))
	if diff := cmp.Diff(want, examples(p.Files["/src/x_test.go"])); diff != "" || len(want) != 6 {
		t.Errorf("%d examples; -want +got:\n%s", len(want), diff)
	}
}

// TestDeclined has names of files that would be taken for others.
func TestDeclined(t *testing.T) {
	for _, src := range []string{
		"package p\n//line a~gpi3:1\nfunc f() {}\n",
		"package p\n//line a:b:3:1:1\nfunc f() {}\n",
	} {
		p := insert(t, Source{Name: "/src/x.go", Src: []byte(src)})
		if f := p.Table.Files[0]; f.Declined == "" || len(f.Labels) > 0 || len(p.Files) > 0 {
			t.Errorf("%q: %+v", src, f)
		}
	}
}

// TestName has names with and without labels.
func TestName(t *testing.T) {
	for _, n := range []int{0, 9, 35, 36, most - 1} {
		if file, number, ok := Split(Name("/src/a.go", n)); file != "/src/a.go" || number != n || !ok {
			t.Errorf("%d: %q, %d, %t", n, file, number, ok)
		}
	}
	for _, name := range []string{"/src/a.go", "a~gpi", "a~gpiA", "a~gpi01", "a~gpi10000", "a~gpi-1", "~gp1"} {
		if file, _, ok := Split(name); ok || file != name {
			t.Errorf("%q: %q, %t", name, file, ok)
		}
	}
}
