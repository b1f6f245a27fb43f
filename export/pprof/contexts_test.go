package pprof_test

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/goprofinstr/goprofinstr/export/internal/profiletest"
	"github.com/goprofinstr/goprofinstr/export/internal/samples"
	"github.com/goprofinstr/goprofinstr/export/pprof"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/sampler/pcct"
)

func TestContextsGolden(t *testing.T) {
	p := samples.Sampled(t)
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	for name, writer := range pprofWriters {
		samples.Golden(t, "sampled."+name+".txt", []byte(parse(t, samples.Write(t, writer, p)).String()))
	}
}

// TestContextsSums holds what the profiles say of contexts against the model: nothing is counted twice, and nothing lost.
func TestContextsSums(t *testing.T) {
	p := samples.Sampled(t)
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
		for _, s := range parse(t, samples.Write(t, pprofWriters[name], p)).Sample {
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
}

// TestForgotten has a path whose context has been forgotten: its executions and its CPU time are in a sample without callers.
func TestForgotten(t *testing.T) {
	const must = "example.com/m/lex.Must"
	r := profiletest.NewRun(1, 0, nil, profiletest.Sampled(profiletest.Lex()))
	in := r.Context(pcct.Node{Parent: -1, Frames: []pcct.Frame{{Name: must, File: "/src/m/lex/lex.go", StartLine: 20}}})
	r.Sample(must, 8, 4, []rundata.ContextPath{
		{Node: in, Estimate: 6 * runfile.SampleUnit, Samples: 3, Time: 30 * time.Millisecond},
		{Node: -1, Estimate: 2 * runfile.SampleUnit, Samples: 1, Time: 10 * time.Millisecond},
	}, 1, 3)
	r.Sample(must, 1, 1, []rundata.ContextPath{
		{Node: in, Estimate: runfile.SampleUnit, Samples: 1}, {Node: -1, Time: 5 * time.Millisecond},
	}, 0, 2)
	var execs, took int64
	for _, s := range parse(t, samples.Write(t, pprof.WritePaths, samples.Load(t, r))).Sample {
		execs, took = execs+s.Value[0], took+s.Value[2]
	}
	if want := 45 * time.Millisecond; execs != 9 || took != want.Nanoseconds() {
		t.Errorf("%d executions in %d ns, want 9 in %d", execs, took, want)
	}
}

// TestCPU has the sample types of CPU profiles, their frames, and all of the time.
func TestCPU(t *testing.T) {
	p := samples.Sampled(t)
	cpu := parse(t, samples.Write(t, pprof.WriteCPU, p))
	if got := cpu.SampleType[0].Type + " " + cpu.SampleType[1].Type + " " + cpu.PeriodType.Type; got != "samples cpu cpu" {
		t.Error(got)
	}
	var got, want int64
	for _, s := range cpu.Sample {
		got += s.Value[1]
		if root := s.Location[len(s.Location)-1].Line[0].Function.Name; root == "runtime.goexit" {
			t.Errorf("a stack that ends in %s", root)
		}
	}
	for _, c := range p.Contexts {
		want += c.Time
	}
	if got != want || want == 0 {
		t.Errorf("%d ns, want %d", got, want)
	}
	if err := pprof.WriteCPU(io.Discard, samples.Sample(t)); err == nil {
		t.Error("no error for counts without time")
	}
}

// TestLabelPath has goroutines with a label that samples of paths have, too: both are there.
func TestLabelPath(t *testing.T) {
	const must = "example.com/m/lex.Must"
	r := profiletest.NewRun(1, 0, nil, profiletest.Sampled(profiletest.Lex()))
	request := r.Context(pcct.Node{Parent: -1, Labels: []pcct.Label{{Key: "path", Value: "/cart"}}})
	in := r.Context(pcct.Node{Parent: request, Frames: []pcct.Frame{{Name: must, File: "/src/m/lex/lex.go", StartLine: 20}}})
	r.Sample(must, 8, 4, []rundata.ContextPath{{Node: in, Estimate: 8 * runfile.SampleUnit, Samples: 4}}, 1, 3)
	for _, s := range parse(t, samples.Write(t, pprof.WritePaths, samples.Load(t, r))).Sample {
		if !s.HasLabel("path", "20→24") || !s.HasLabel("path", "/cart") {
			t.Errorf("labels %v", s.Label)
		}
	}
}

// TestInstances has a generic function on stacks: it is one function of the profile, and one frame of its own stacks. The CPU
// time is that of the instance, as runtime/pprof has it.
func TestInstances(t *testing.T) {
	const instance, generic = "slices.Must[go.shape.int]", "slices.Must[...]"
	must := profiletest.Lex().Functions[1]
	must.Name, must.File = generic, "slices/must.go"
	r := profiletest.NewRun(1, 0, nil, profiletest.Sampled(profiletest.Package("slices", must)))
	at := func(line int32) []pcct.Frame {
		return []pcct.Frame{{Name: instance, File: "/go/src/slices/must.go", Line: line, StartLine: 20}}
	}
	in := r.Context(pcct.Node{Parent: -1, Frames: at(0)})
	r.Context(pcct.Node{Parent: -1, Frames: at(21), Time: 10_000_000, Samples: 1})
	r.Sample(generic, 8, 4, []rundata.ContextPath{{Node: in, Estimate: 8 * runfile.SampleUnit, Samples: 4}}, 1, 3)
	p := samples.Load(t, r)
	writers := map[string]func(io.Writer, *profile.Profile) error{generic: pprof.WriteCalls, instance: pprof.WriteCPU}
	for want, write := range writers {
		prof := parse(t, samples.Write(t, write, p))
		for _, f := range prof.Function {
			if f.Name != want {
				t.Errorf("a function %s, want %s", f.Name, want)
			}
		}
		for _, s := range prof.Sample {
			if len(s.Location) != 1 {
				t.Errorf("%s in %d frames", want, len(s.Location))
			}
		}
	}
}

// TestContextsPprofTool has the real pprof read the profiles.
func TestContextsPprofTool(t *testing.T) {
	if testing.Short() {
		t.Skip("runs go tool pprof")
	}
	p := samples.Sampled(t)
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
		if err := os.WriteFile(file, samples.Write(t, pprofWriters[test.profile], p), 0o666); err != nil {
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
