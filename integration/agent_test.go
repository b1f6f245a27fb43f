package integration

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	google "github.com/google/pprof/profile"
)

// start starts a command that serves, and returns the address that it prints. It is ended with the test.
func start(t *testing.T, dir string, args ...string) (url string, end func()) {
	t.Helper()
	cmd := exec.Command(goprofinstr, args...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	end = sync.OnceFunc(func() {
		cmd.Process.Signal(os.Interrupt)
		cmd.Wait()
	})
	t.Cleanup(end)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("goprofinstr %v: %v", args, err)
	}
	return strings.TrimSpace(line), end
}

// getUntil asks until an answer has a text.
func getUntil(t *testing.T, url, text string) {
	t.Helper()
	for {
		r, err := http.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(body), text) {
			return
		}
		time.Sleep(20 * time.Millisecond) // The agent and the program have the processor meanwhile.
	}
}

// pprofOf has go tool pprof fetch a profile as users do.
func pprofOf(t *testing.T, url string) *google.Profile {
	t.Helper()
	file := filepath.Join(t.TempDir(), "fetched.pb.gz")
	run(t, t.TempDir(), "go", "tool", "pprof", "-proto", "-output="+file, url)
	return parseFile(t, file)
}

func parseFile(t *testing.T, file string) *google.Profile {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := google.Parse(f)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// sumOf returns the sum of a type of values over the samples whose leaf is in a function.
func sumOf(p *google.Profile, kind, function string) (sum int64) {
	for i, of := range p.SampleType {
		for _, s := range p.Sample {
			if of.Type == kind && s.Location[0].Line[0].Function.Name == function {
				sum += s.Value[i]
			}
		}
	}
	return sum
}

// TestAgent has an agent and live pages follow a program, and go tool pprof read what they serve. The last word, when the
// program was killed, is what its profile has.
func TestAgent(t *testing.T) {
	dir := copyProgram(t, "followed")
	t.Setenv("PPROF_TMPDIR", t.TempDir())
	run(t, dir, goprofinstr, "wrap", "-mode", "sampled", "go", "build", "-o", "followed.exe", ".")
	data := filepath.Join(dir, "data")
	kept := filepath.Join(dir, "kept")
	agent, end := start(t, dir, "agent", "-http", "localhost:0", "-dir", data, "-archive", kept)
	live, _ := start(t, t.TempDir(), "view", "-live", "-http", "localhost:0", data)
	program := exec.Command(filepath.Join(dir, "followed.exe"), "1000000000", "10ms")
	program.Env = append(os.Environ(), "GOPROFINSTR_DIR="+data, "OTEL_SERVICE_NAME=shop")
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { program.Process.Kill() })
	getUntil(t, agent, "<td>shop<td>1<td>0")
	for _, url := range []string{agent, live + "debug/pprof/"} {
		p := pprofOf(t, url+"calls?seconds=1&service=shop")
		if n := sumOf(p, "call_execs", "main.hot"); n == 0 || p.DurationNanos < 1e9 {
			t.Errorf("%s: %d calls in %d ns", url, n, p.DurationNanos)
		}
	}
	getUntil(t, live, "hot")
	getUntil(t, live+"f/example.com/followed.hot", "(x uint32)") // its source: the program says where that is
	program.Process.Kill()
	program.Wait()
	getUntil(t, agent, "<td>shop<td>0<td>1")
	want := int64(0)
	for _, f := range load(t, data).Functions() {
		if strings.HasSuffix(f.Table.Name, ".hot") {
			want = f.Entries
		}
	}
	if got := sumOf(pprofOf(t, agent+"calls"), "call_execs", "main.hot"); got != want {
		t.Errorf("%d calls, the profile has %d", got, want)
	}
	end() // and it archives what it has
	run(t, dir, goprofinstr, "export", "-format", "json", "-o", "kept.json", kept)
	if conditions, _ := run(t, t.TempDir(), goprofinstr, "report", "-format", "conditions", kept); !strings.Contains(conditions, "x&3 == 3") {
		t.Errorf("an archive without the root of its programs:\n%s", conditions)
	}
	if got := callsOf(t, filepath.Join(dir, "kept.json"), "hot"); got != want {
		t.Errorf("%d calls in the archive, the profile has %d", got, want)
	}
}

// callsOf returns the executions of the first block of a function in a profile's JSON.
func callsOf(t *testing.T, file, name string) int64 {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var p struct {
		Functions []struct {
			Name  string
			Paths []struct {
				Count int64
				Start string
			}
		}
	}
	if err := json.Unmarshal(data, &p); err != nil {
		t.Fatal(err)
	}
	n := int64(0)
	for _, f := range p.Functions {
		if !strings.HasSuffix(f.Name, "."+name) {
			continue
		}
		for _, path := range f.Paths {
			if path.Start == "entry" {
				n += path.Count
			}
		}
	}
	return n
}
