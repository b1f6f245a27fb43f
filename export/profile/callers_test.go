package profile

import (
	"testing"

	"github.com/goprofinstr/goprofinstr/sampler/pcct"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// calledProfile is of a function work with three callers. There are 600 calls from line 12 of f, 300 from line 22 of g and 100
// from line 32 of h. All are of package main. Stacks know of f and g only, and of too few calls from f.
func calledProfile() (p *Profile, work *Function) {
	frame := func(name string, start, line int32) pcct.Frame {
		return pcct.Frame{Name: "main." + name, File: "/src/m/main.go", StartLine: start, Line: line}
	}
	main := &Context{Frames: []pcct.Frame{frame("main", 40, 41)}}
	caller := func(name string, start int, calls int64) *Function {
		c := &Context{Parent: main, Frames: []pcct.Frame{frame(name, int32(start), 0)}}
		return &Function{
			Package: "m", Blocks: []int64{calls},
			Table: &table.Function{
				Name: "m." + name, File: "main.go", Line: start, Calls: []table.Call{{Line: 2}}, Edges: []table.Edge{{}},
			},
			Paths: []Path{{Count: calls, Edges: []int{0}, Contexts: []PathContext{{Context: c, Count: calls}}}},
		}
	}
	seen := func(count int64, outer ...pcct.Frame) PathContext {
		return PathContext{&Context{Parent: main, Frames: append([]pcct.Frame{frame("work", 3, 0)}, outer...)}, count, 1, 0}
	}
	work = &Function{
		Package: "m", Entries: 1000,
		Table: &table.Function{Name: "m.work", File: "main.go", Line: 3, Edges: []table.Edge{{}}},
		Paths: []Path{{Count: 1000, Edges: []int{0}, Contexts: []PathContext{
			seen(200, frame("f", 10, 12)), seen(500, frame("g", 20, 22)), seen(250, frame("g", 20, 22)), seen(50, frame("unknown", 1, 2)),
		}}},
	}
	pkg := &Package{Path: "m", Main: true, Callees: []table.Callee{{Package: "m", Name: "work"}}}
	pkg.Functions = []*Function{work, caller("f", 10, 600), caller("g", 20, 300), caller("h", 30, 100)}
	return &Profile{Packages: []*Package{pkg}, Contexts: []*Context{main}}, work
}

// TestCallers has counts say how many calls are from where, and stacks divide those from one line. 600, 200 and 100 calls are
// counted, and 100 are not seen. One stack of 50 is of a caller that calls work by no name.
func TestCallers(t *testing.T) {
	p, work := calledProfile()
	p.addCalls()
	got := make(map[string][]int64)
	sum := int64(0)
	for _, c := range work.Calls {
		stack := c.Context.Stack()
		got[stack[1].Name] = append(got[stack[1].Name], c.Count)
		sum += c.Count
		if stack[0].Name != "main.work" || stack[len(stack)-1].Name != "main.main" {
			t.Errorf("stack %v", stack)
		}
	}
	if sum != 1000 || len(got) != 4 || len(got["main.g"]) != 2 {
		t.Fatalf("calls %v", got)
	}
	f, g, h, unknown := got["main.f"][0], got["main.g"], got["main.h"][0], got["main.unknown"][0]
	// 1,050 calls have to be 1,000.
	if f != 571 || g[0]+g[1] != 286 || g[0] != 190 || h+unknown != 143 || h < 95 || h > 96 {
		t.Errorf("calls %v", got)
	}
}

// TestCallersGeneric has a generic caller, of which stacks have an instance: its calls are there once.
func TestCallersGeneric(t *testing.T) {
	p, work := calledProfile()
	const instance = "main.f[go.shape.int]"
	p.Packages[0].Functions[1].Table.Name = "m.f[...]"
	work.Paths[0].Contexts[0].Context.Frames[1].Name = instance
	p.addCalls()
	got := make(map[string]int64)
	for _, c := range work.Calls {
		got[c.Context.Stack()[1].Name] += c.Count
	}
	if got[instance] != 571 || len(got) != 4 {
		t.Errorf("calls %v, want 571 from %s, and some from three others", got, instance)
	}
}

// TestCallersUnseen has callers of which no stack is: calls from there have a stack of two functions.
func TestCallersUnseen(t *testing.T) {
	p, work := calledProfile()
	for _, f := range p.Functions() {
		for i := range f.Paths {
			f.Paths[i].Contexts = nil
		}
	}
	p.addCalls()
	if len(work.Calls) != 3 {
		t.Fatalf("calls %v", work.Calls)
	}
	for i, want := range []int64{600, 300, 100} {
		if c := work.Calls[i]; c.Count != want || len(c.Context.Stack()) != 2 || c.Context.Frames[1].Line != int32(12+10*i) {
			t.Errorf("%d calls from %v, want %d", c.Count, c.Context.Stack()[1], want)
		}
	}
}

// TestCallersWithoutFrames has a caller that no stack is of, in a context whose frames are not known.
func TestCallersWithoutFrames(t *testing.T) {
	p, work := calledProfile()
	p.Packages[0].Functions[3].Paths[0].Contexts[0].Context = &Context{}
	p.addCalls()
	for _, c := range work.Calls {
		if stack := c.Context.Stack(); stack[1].Name == "main.h" && len(stack) == 2 {
			return
		}
	}
	t.Errorf("calls %v, want those from h in a stack of two functions", work.Calls)
}
