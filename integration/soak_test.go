package integration

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/goprofinstr/goprofinstr/export/profiledir"
	"github.com/goprofinstr/goprofinstr/integration/internal/fetch"
	"github.com/goprofinstr/goprofinstr/internal/longtest"
)

var soakTime = flag.Duration("soak", 3*time.Second, "how long TestSoak runs benchmarks of encoding/json; from 1m on those of net/http and goja, too, for as long")

// A soaking is a package whose tests and benchmarks are run again and again.
type soaking struct {
	module, version string // "" for the standard library
	pkg             string
	wrapped         string // what -pkg says
	tests, benches  string
	skip            string // tests that fail plainly, too, on a busy machine
	long            bool   // too long for a sample
}

var soaked = []soaking{
	{pkg: "encoding/json", wrapped: "encoding/json", tests: "Test[E-U]", benches: "Code|EncoderEncode|Unmarshal"},
	{pkg: "net/http", wrapped: "net/http/...,net/textproto,bufio,io,bytes,strings,sync,context,mime/...,strconv,unicode/utf8", tests: "Test[A-M]", benches: "Server|Client|Header|Cookie", long: true},
	{
		module: "github.com/dop251/goja", version: "v0.0.0-20260917113740-793a2a65c13b",
		pkg: ".", wrapped: "github.com/dop251/goja/...", tests: ".", skip: "^TestProfiler$", benches: ".", long: true,
	},
}

// TestSoak runs real tests and benchmarks, many of them with b.RunParallel. They run at the highest rate of ticks there is, with
// no budget and much garbage collection. All of them must pass. The test is for cases such as this: a log of native probes that
// went on behind its end overwrote tables of Go's heap. One run in ten of encoding/json's died of it.
func TestSoak(t *testing.T) {
	longtest.Skip(t)
	if runtime.GOOS != "linux" {
		t.Skip("what sampled programs do in signal handlers is for Linux")
	}
	for _, s := range soaked {
		t.Run(s.pkg, func(t *testing.T) {
			if s.long && *soakTime < time.Minute {
				t.Skip("takes -soak 1m")
			}
			t.Parallel()
			s.run(t)
		})
	}
}

func (s *soaking) run(t *testing.T) {
	dir := filepath.Join(runtime.GOROOT(), "src", s.pkg)
	if s.module != "" {
		dir = fetch.ForTest(t, s.module, s.version)
	}
	exe := filepath.Join(t.TempDir(), "soak.test")
	run(t, dir, goprofinstr, "wrap", "-mode", "sampled", "-cpu-budget", "100", "-period", "4ms", "-pkg", s.wrapped, "go", "test", "-c", "-o", exe, ".")
	runs := 0
	for end := time.Now().Add(*soakTime); time.Now().Before(end); runs++ {
		s.once(t, dir, exe)
	}
	t.Logf("%d runs in %v", runs, *soakTime)
}

// once runs everything once. A run that takes too long is killed with the stacks of its goroutines.
func (s *soaking) once(t *testing.T, dir, exe string) {
	t.Helper()
	cmd := exec.Command(exe, "-test.short", "-test.run", s.tests, "-test.skip", s.skip, "-test.bench", s.benches, "-test.benchtime", "50ms", "-test.timeout", "0")
	cmd.Dir = dir
	data, err := os.MkdirTemp("", "goprofinstr-soak-") // which is kept if the run fails: the next ten minutes may not have such a failure
	if err != nil {
		t.Fatal(err)
	}
	cmd.Env = append(cmd.Environ(), "GOGC=50", profiledir.Var+"="+data)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stop := time.AfterFunc(10*time.Minute, func() { cmd.Process.Signal(syscall.SIGQUIT) })
	defer stop.Stop()
	if err := cmd.Wait(); err != nil || !bytes.Contains(out.Bytes(), []byte("\nPASS\n")) {
		t.Fatalf("%v; run data is in %s\n%s", err, data, out.Bytes())
	}
	if n := load(t, data).Runs[0].Sampling; n == nil || n.Ticks == 0 {
		t.Error("no ticks")
	}
	os.RemoveAll(data)
}
