package inline

import (
	"slices"
	"strings"
	"testing"
)

// TestLiteralNames has literals behind others that the compiler may drop, with the names that they may have.
func TestLiteralNames(t *testing.T) {
	const src = `package p

func F(err error) {
	func() {}() // F.func1
	if err != nil || cond() {
		func() {}() // F.func2
	}
	if runtime.GOOS == "windows" {
		func() {}() // F.func3
	} else if cond() {
		func() {}() // F.func4 F.func3
	}
	for !(off) {
		func() {}() // F.func5 F.func4 F.func3
	}
	switch n {
	case 1:
		func() {}() // F.func6 F.func5 F.func4 F.func3
	}
	switch cond() {
	case true:
		func() {}() // F.func7 F.func6 F.func5 F.func4 F.func3
	}
	if off && func() bool { // F.func8 F.func7 F.func6 F.func5 F.func4
		return true
	}() {
	}
}

func (T) G() {
	if off {
		func() {}() // T.G.func1
	}
	func() { // T.G.func2 T.G.func1
		if off {
			func() {}() // T.G.func2.1 T.G.func1.1
		}
		func() {}() // T.G.func2.2 T.G.func2.1 T.G.func1.2 T.G.func1.1
	}()
}

var x = func() { // init.func1
	func() {}() // init.func1.1
}
`
	read := func(string) ([]byte, error) { return []byte(src), nil }
	lines := strings.Split(src, "\n")
	for _, f := range functions(&Package{Files: []string{"p.go"}}, read)["p.go"] {
		_, want, ok := strings.Cut(lines[f.start.Line-1], "// ")
		if !ok {
			head := lines[f.start.Line-1]
			want = strings.NewReplacer("func ", "", "(T) ", "T.", "(err error)", "", "()", "", " {", "").Replace(head)
		}
		if got := f.names(); !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("line %d: names %q, want %q", f.start.Line, got, want)
		}
	}
}

// TestMostNames has a test of many cases behind conditions.
func TestMostNames(t *testing.T) {
	src := "package p\n\nfunc F() {\n" + strings.Repeat("if x { func() { if y { func() {}() }; func() {}() }() }\n", 100) + "}\n"
	read := func(string) ([]byte, error) { return []byte(src), nil }
	for _, f := range functions(&Package{Files: []string{"p.go"}}, read)["p.go"] {
		if len(f.names()) > mostNames {
			t.Errorf("%s has %d names", f.name, len(f.names()))
		}
	}
}
