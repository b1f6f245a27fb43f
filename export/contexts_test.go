package export_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/goprofinstr/goprofinstr/export"
	"github.com/goprofinstr/goprofinstr/export/internal/profiletest"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/rt"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/sampler/pcct"
)

// sampledSample is a profile with calling contexts: functions that are instrumented and others, inlined ones, one that is called from two places, a
// path that was seen in no context, and labels of goroutines. The binary was built from files in /src/m.
func sampledSample(t testing.TB) *profile.Profile {
	const lexFile = "/src/m/lex/lex.go"
	var (
		words  = pcct.Frame{Name: "example.com/m/lex.Words", File: lexFile, StartLine: 4}
		must   = pcct.Frame{Name: "example.com/m/lex.Must", File: lexFile, StartLine: 20}
		goexit = pcct.Frame{Name: "runtime.goexit", File: "/go/src/runtime/asm_amd64.s", Line: 1771, StartLine: 1769}
		index  = pcct.Frame{Name: "strings.IndexFunc[go.shape.string; x]", File: "/go/src/strings/strings.go", Line: 900, StartLine: 890}
		wordAt = words
	)
	wordAt.Line = 11
	caller := func(line int32) pcct.Frame {
		return pcct.Frame{Name: "main.main", File: "/src/m/main.go", Line: line, StartLine: 5}
	}
	r := profiletest.NewRun(101, 0, []string{"/tmp/m"}, profiletest.Sampled(profiletest.Lex()))
	seen := func(node int, times, samples uint64, took time.Duration) rundata.ContextPath {
		return rundata.ContextPath{Node: node, Estimate: times * rt.SampleUnit, Samples: samples, Time: took}
	}
	outermost := r.Context(pcct.Node{Parent: -1, Frames: []pcct.Frame{goexit}})
	nine := r.Context(pcct.Node{Parent: outermost, Frames: []pcct.Frame{caller(9)}, Time: 10_000_000, Samples: 1})
	ten := r.Context(pcct.Node{Parent: outermost, Frames: []pcct.Frame{caller(10)}})
	user := r.Context(pcct.Node{Parent: -1, Labels: []pcct.Label{{Key: "user", Value: "é\n"}, {Key: "page", Value: "1"}}})
	labelled := r.Context(pcct.Node{Parent: user, Frames: []pcct.Frame{caller(10)}})
	inNine := r.Context(pcct.Node{Parent: nine, Frames: []pcct.Frame{words}})
	inTen := r.Context(pcct.Node{Parent: ten, Frames: []pcct.Frame{words}})
	inLabelled := r.Context(pcct.Node{Parent: labelled, Frames: []pcct.Frame{words}})
	r.Context(pcct.Node{Parent: nine, Frames: []pcct.Frame{wordAt}, Time: 40_000_000, Samples: 4})
	r.Context(pcct.Node{Parent: labelled, Frames: []pcct.Frame{wordAt}, Time: 20_000_000, Samples: 2})
	r.Context(pcct.Node{Parent: nine, Frames: []pcct.Frame{index, wordAt}, Time: 10_000_000, Samples: 1}) // IndexFunc is inlined
	inlined := r.Context(pcct.Node{Parent: nine, Frames: []pcct.Frame{must, wordAt}})                     // and so is Must

	r.Sample(words.Name, 100, 50, []rundata.ContextPath{
		seen(inNine, 6, 3, 30_000_000), seen(inTen, 2, 1, 0), seen(inLabelled, 2, 1, 10_000_000),
	}, 0, 2, 12)
	r.Sample(words.Name, 1000, 500, []rundata.ContextPath{seen(inNine, 1, 1, 0)}, 1, 4, 6, 9, 11)
	r.Sample(words.Name, 7, 3, nil, 2, 12)
	r.Sample(must.Name, 12, 6, []rundata.ContextPath{seen(inlined, 1, 1, 0)}, 1, 3)
	r.Sample(must.Name, 1, 1, []rundata.ContextPath{seen(inNine, 0, 0, 5_000_000)}, 0, 2) // by tables that are wrong about what is inlined
	p := load(t, r)
	p.Root = "/src/m"
	return p
}

func TestContextsGolden(t *testing.T) {
	p := sampledSample(t)
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	for name, writer := range pprofWriters {
		golden(t, "sampled."+name+".txt", []byte(parse(t, write(t, writer, p)).String()))
	}
	golden(t, "sampled.json", write(t, export.WriteJSON, p))
	golden(t, "sampled.folded", write(t, export.WriteFolded, p))
}

// TestContextsSums holds what the profiles say of contexts against the model: nothing is counted twice, and nothing lost.
func TestContextsSums(t *testing.T) {
	p := sampledSample(t)
	var execs, flow, pathTime, calls, took int64
	for _, f := range p.Functions() {
		calls += f.Entries
		for i := range f.Paths {
			execs, flow, pathTime = execs+f.Paths[i].Count, flow+f.Paths[i].Flow(), pathTime+f.Paths[i].Time
		}
	}
	for _, c := range p.Contexts {
		took += c.Time
	}
	for name, want := range map[string][]int64{"paths": {execs, flow, pathTime}, "calls": {calls, took}} {
		got := make([]int64, len(want))
		for _, s := range parse(t, write(t, pprofWriters[name], p)).Sample {
			for i, v := range s.Value {
				got[i] += v
			}
		}
		for i := range want {
			if got[i] != want[i] || want[i] == 0 {
				t.Errorf("%s: value %d adds up to %d, want %d", name, i, got[i], want[i])
			}
		}
	}
	folded := int64(0)
	for line := range strings.Lines(string(write(t, export.WriteFolded, p))) {
		folded += lastNumber(t, line)
	}
	if folded != execs {
		t.Errorf("folded stacks add up to %d, want %d", folded, execs)
	}
}

// TestContextsPprofTool has the real pprof read the profiles.
func TestContextsPprofTool(t *testing.T) {
	if testing.Short() {
		t.Skip("runs go tool pprof")
	}
	p := sampledSample(t)
	for _, test := range []struct {
		profile string
		args    []string
		want    []string
	}{
		{"calls", []string{"-top"}, []string{"Type: time", "60ms 75.00%", "example.com/m/lex.Words", "main.main"}},
		{"calls", []string{"-top", "-sample_index=call_execs"}, []string{"Type: call_execs", "88.50%", "example.com/m/lex.Must"}},
		{"calls", []string{"-traces"}, []string{"user:  é", "40ms   example.com/m/lex.Words\n             main.main\n             runtime.goexit"}},
		{"calls", []string{"-peek=lex.Words$"}, []string{"main.main"}},
		{"paths", []string{"-traces", "-sample_index=time"}, []string{"example.com/m/lex.Words {path ", "30ms"}},
	} {
		file := filepath.Join(t.TempDir(), test.profile+".pb.gz")
		if err := os.WriteFile(file, write(t, pprofWriters[test.profile], p), 0o666); err != nil {
			t.Fatal(err)
		}
		var stderr bytes.Buffer
		cmd := exec.Command("go", append(append([]string{"tool", "pprof"}, test.args...), file)...)
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %v\n%s", cmd.Args, err, stderr.String())
		}
		for _, want := range test.want {
			if !strings.Contains(string(out), want) {
				t.Errorf("%v: no %q in\n%s", test.args, want, out)
			}
		}
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
	if diff := cmp.Diff(want, strings.Split(string(write(t, export.WriteFolded, load(t, r))), "\n")); diff != "" {
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
