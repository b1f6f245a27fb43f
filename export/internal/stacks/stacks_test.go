package stacks_test

import (
	"testing"

	"github.com/goprofinstr/goprofinstr/export/internal/profiletest"
	"github.com/goprofinstr/goprofinstr/export/internal/samples"
	"github.com/goprofinstr/goprofinstr/export/internal/stacks"
	"github.com/goprofinstr/goprofinstr/sampler/pcct"
)

// TestFind finds functions by their names, by where they begin, and, in package main, by both as far as they are known. Of
// generic functions the runtime has the instances.
func TestFind(t *testing.T) {
	lex := profiletest.Lex()
	must := &lex.Functions[1]
	must.Name = "example.com/m/lex.Must"
	inMain := *must
	inMain.Name, inMain.File = "example.com/cmd/prog.must", "cmd/prog/prog.go"
	genericMain, generic, dotted := inMain, *must, *must
	genericMain.Name = "example.com/cmd/prog.each[...]"
	generic.Name, generic.File = "slices.(*sorter[...]).sort.func1", "slices/sort.go"
	dotted.Name, dotted.File = "gopkg.in/lex.v3.(*T).Must", "gopkg.in/lex.v3/lex.go"
	prog, slices := profiletest.Package("example.com/cmd/prog", inMain, genericMain), profiletest.Package("slices", generic)
	first, second, third := *must, *must, *must // literals, which the compiler numbers otherwise in the instrumented program
	first.Name, first.File, first.Line = "example.com/m/lits.F.func1", "lits/lits.go", 8
	second.Name, second.File, second.Line = "example.com/m/lits.F.func2", "lits/lits.go", 9
	third.Name, third.File, third.Line = "example.com/m/lits.F-range1.1", "lits/lits.go", 10
	lits := profiletest.Package("example.com/m/lits", first, second, third)
	p := samples.Load(t, profiletest.NewRun(1, 0, nil, lex, prog, slices, profiletest.Package("gopkg.in/lex.v3", dotted), lits))
	p.Root = "/src/m"
	s := stacks.New(p)
	line := int32(must.Line)
	for _, test := range []struct {
		frame pcct.Frame
		want  string
	}{
		{pcct.Frame{Name: must.Name}, must.Name},
		{pcct.Frame{Name: "example.com/m/lex.Must[...]", File: "/src/m/" + must.File, StartLine: line}, must.Name},
		{pcct.Frame{Name: "main.must", File: "/elsewhere/prog.go", StartLine: line}, inMain.Name},
		{pcct.Frame{Name: "main.must", File: "/x/goprofinstr/rt/rt.go", StartLine: line}, inMain.Name},
		{pcct.Frame{Name: "main.must", File: "/elsewhere/other.go", StartLine: line}, ""},
		{pcct.Frame{Name: "main.must", File: "/elsewhere/prog.go", StartLine: line + 1}, ""},
		{pcct.Frame{Name: "main.each[go.shape.[]int]", File: "/elsewhere/prog.go", StartLine: line}, genericMain.Name},
		{pcct.Frame{Name: "slices.(*sorter[go.shape.map[string]int]).sort.func1", File: "/go/src/slices/sort.go"}, generic.Name},
		{pcct.Frame{Name: "slices.sort[go.shape.int]", File: "/go/src/slices/sort.go", StartLine: line}, ""},
		{pcct.Frame{Name: "gopkg.in/lex%2ev3.(*T).Must", File: "/mod/gopkg.in/lex.v3@v3.0.1/lex.go", StartLine: line}, dotted.Name},
		{pcct.Frame{Name: "gopkg.in/lex%2ev3.Must"}, ""},
		{pcct.Frame{Name: first.Name, File: "/src/m/lits/lits.go", StartLine: 8}, first.Name},
		{pcct.Frame{Name: second.Name, File: "/src/m/lits/lits.go", StartLine: 8}, first.Name},
		{pcct.Frame{Name: "example.com/m/lits.F.func3", File: "/src/m/lits/lits.go", StartLine: 9}, second.Name},
		{pcct.Frame{Name: third.Name, File: "/src/m/lits/lits.go", StartLine: 9}, second.Name},
		{pcct.Frame{Name: second.Name, File: "/elsewhere/lits.go", StartLine: 9}, second.Name},
		{pcct.Frame{Name: "runtime.goexit"}, ""},
	} {
		name := ""
		if f := s.Find(test.frame); f != nil {
			name = f.Table.Name
		}
		if name != test.want {
			t.Errorf("%+v is %q, want %q", test.frame, name, test.want)
		}
		if got := s.Name(test.frame); test.want == "" && got != test.frame.Name {
			t.Errorf("%+v is called %q", test.frame, got)
		}
	}
}
