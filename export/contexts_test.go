package export_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/goprofinstr/goprofinstr/export"
	"github.com/goprofinstr/goprofinstr/export/internal/profiletest"
	"github.com/goprofinstr/goprofinstr/export/internal/samples"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/sampler/pcct"
)

// TestContextsFolded holds what folded stacks say of contexts against the model: nothing is counted twice, and nothing lost.
func TestContextsFolded(t *testing.T) {
	p := samples.Sampled(t)
	var execs int64
	for _, f := range p.Functions() {
		for i := range f.Paths {
			execs += f.Paths[i].Count
		}
	}
	folded := int64(0)
	for line := range strings.Lines(string(samples.Write(t, export.WriteFolded, p))) {
		folded += lastNumber(t, line)
	}
	if folded != execs {
		t.Errorf("folded stacks add up to %d, want %d", folded, execs)
	}
}

// TestContextsMain has frames of the main package, which the runtime calls main, of a program that was built somewhere else.
func TestContextsMain(t *testing.T) {
	f := profiletest.Lex().Functions[1]
	f.Name, f.File = "example.com/cmd/prog.must", "cmd/prog/prog.go"
	other := f
	other.Name, other.File = "example.com/p.must", "p/prog.go" // no main package, but who knows
	other.Line += 100
	r := profiletest.NewRun(1, 0, nil, profiletest.Sampled(profiletest.Package("example.com/cmd/prog", f)), profiletest.Sampled(profiletest.Package("example.com/p", other)))
	frame := func(name, file string, line int32) pcct.Frame {
		return pcct.Frame{Name: name, File: file, Line: line + 2, StartLine: line}
	}
	for _, outer := range []pcct.Frame{
		frame("main.must", "/home/user/cmd/prog/prog.go", 20), frame("main.must", "/home/user/cmd/prog/other.go", 20), frame("main.must", "prog.go", 21),
		frame("q.must", "/q/prog.go", 20), frame("example.com/p.must", "/home/user/p/prog.go", 120),
	} {
		node := r.Context(pcct.Node{Parent: -1, Frames: []pcct.Frame{{Name: "main.must", File: "/home/user/cmd/prog/prog.go", StartLine: 20}, outer}})
		r.Sample(f.Name, 1, 1, []rundata.ContextPath{{Node: node, Estimate: 1, Samples: 1}}, 1, 3)
	}
	const path = "example.com/cmd/prog.must;{path 1: 20→24}"
	want := []string{"example.com/cmd/prog.must;" + path + " 1", "main.must;" + path + " 2", "q.must;" + path + " 1", "example.com/p.must;" + path + " 1", ""}
	if diff := cmp.Diff(want, strings.Split(string(samples.Write(t, export.WriteFolded, samples.Load(t, r))), "\n")); diff != "" {
		t.Errorf("folded stacks (-want +got):\n%s", diff)
	}
}

// lastNumber returns the number behind the last blank of a line.
func lastNumber(t *testing.T, line string) int64 {
	t.Helper()
	line = strings.TrimSuffix(line, "\n")
	n, err := strconv.ParseInt(line[strings.LastIndexByte(line, ' ')+1:], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
