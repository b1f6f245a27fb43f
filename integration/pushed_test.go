package integration

import (
	"bytes"
	stdcontext "context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	google "github.com/google/pprof/profile"

	"github.com/goprofinstr/goprofinstr/export/fleet/agent"
	"github.com/goprofinstr/goprofinstr/export/fleet/follow"
	"github.com/goprofinstr/goprofinstr/export/fleet/push"
	"github.com/goprofinstr/goprofinstr/export/fleet/spool"
	"github.com/goprofinstr/goprofinstr/export/pprof"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/longtest"
)

// A timeServer adds up the CPU time that it is sent, by name of the profile and stack.
type timeServer struct {
	sums     map[string]int64
	requests int // with time
}

func (s *timeServer) Push(_ stdcontext.Context, b push.Batch) (push.Outcome, error) {
	if addTimes(s.sums, b.Name, b.Profile) {
		s.requests++
	}
	return push.Outcome{Verdict: push.Delivered}, nil
}

func (s *timeServer) Close() {}

// addTimes adds up the CPU time of a profile by stack, and reports whether there is any.
func addTimes(sums map[string]int64, name string, p *google.Profile) (some bool) {
	for i, of := range p.SampleType {
		if of.Type != "time" {
			continue
		}
		for _, s := range p.Sample {
			var stack []string
			for _, l := range s.Location {
				for _, line := range l.Line {
					stack = append(stack, line.Function.Name)
				}
			}
			if s.Value[i] > 0 {
				sums[name+" "+strings.Join(stack, " < ")] += s.Value[i]
				some = true
			}
		}
	}
	return some
}

// TestPushedTime has a sampled program whose CPU time is sent in intervals. By stack, and by path in a stack, it must add up to
// what the profile has.
func TestPushedTime(t *testing.T) {
	longtest.Skip(t)
	dir := copyProgram(t, "followed")
	program := filepath.Join(dir, "followed.exe")
	run(t, dir, goprofinstr, "wrap", "-mode", "sampled", "-cpu-budget", "100", "-period", "4ms", "go", "build", "-o", program, ".")
	data, state := t.TempDir(), t.TempDir()
	s := &timeServer{sums: make(map[string]int64)}
	sender, err := spool.Open(spool.Config{Dir: filepath.Join(state, "spool"), Targets: map[string]push.Target{"test": s}})
	if err != nil {
		t.Fatal(err)
	}
	defer sender.Close()
	a := agent.New(agent.Options{Follow: follow.Options{Dirs: []string{data}, Contexts: true}, Say: func(line string) { t.Error(line) }})
	f := &agent.Forwarder{Agent: a, Sender: sender, State: state, Host: "h"}
	if err := f.Start(); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "1000000000")
	cmd.Env = append(os.Environ(), "GOPROFINSTR_DIR="+data)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	interval := func() {
		t.Helper()
		if err := f.Interval(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for s.requests < 10 { // or until the test is timed out
		interval()
	}
	cmd.Process.Kill()
	cmd.Wait()
	interval()
	want := make(map[string]int64)
	p := load(t, data)
	p.Root = "" // an agent may not see sources, so that what it sends has no words of these
	for name, write := range map[string]func(io.Writer, *profile.Profile) error{push.Paths: pprof.WritePaths, push.Calls: pprof.WriteCalls} {
		var b bytes.Buffer
		if err := write(&b, p); err != nil {
			t.Fatal(err)
		}
		of, err := google.Parse(&b)
		if err != nil {
			t.Fatal(err)
		}
		if !addTimes(want, name, of) {
			t.Errorf("%s has no CPU time", name)
		}
	}
	for stack, n := range want {
		if s.sums[stack] != n {
			t.Errorf("%s: %d ns arrived, the profile has %d", stack, s.sums[stack], n)
		}
	}
	if len(s.sums) != len(want) {
		t.Errorf("%d stacks arrived, the profile has %d", len(s.sums), len(want))
	}
	t.Logf("%d requests with time, %d stacks", s.requests, len(want))
}
