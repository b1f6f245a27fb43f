package pprof_test

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/export/internal/samples"
	"github.com/goprofinstr/goprofinstr/export/pprof"
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
