package fleet

import (
	"bufio"
	"flag"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/pprofile"

	"github.com/goprofinstr/goprofinstr/export/profile"
)

var outage = flag.Duration("outage", 0, "how long TestOutage has no Collector; 0 skips it")

// buildCollector builds the Collector.
func buildCollector(t *testing.T) (program string) {
	t.Helper()
	program = filepath.Join(t.TempDir(), "collector")
	if out, err := exec.Command("go", "build", "-o", program, "./collector").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// buildFollowed builds an instrumented program that counts until it is killed. Without -atomic, counts that its goroutines share
// would shrink now and then, as one goroutine stores what it has read long before.
func buildFollowed(t *testing.T) (program string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "testdata", "followed"))); err != nil {
		t.Fatal(err)
	}
	program = filepath.Join(dir, "followed.exe")
	cmd := exec.Command(goprofinstr, "wrap", "-atomic", "go", "build", "-o", program, ".")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// startWith starts a program with more variables, which is killed with the test.
func startWith(t *testing.T, cmd *exec.Cmd, env ...string) *exec.Cmd {
	t.Helper()
	cmd.Env, cmd.Stderr = append(os.Environ(), env...), os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	return cmd
}

// totals returns what has arrived, each profile once, and how many came again.
func (b *backend) totals() (once int64, again int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, n := range b.once {
		once += n
	}
	return once, b.again
}

// note adds a profile to what has arrived.
func (b *backend) note(id pprofile.ProfileID, n int64) {
	if b.once == nil {
		b.once = make(map[pprofile.ProfileID]int64)
	}
	if _, ok := b.once[id]; ok {
		b.again++
	}
	b.once[id] = n
}

// TestOutage has an agent of its own process send what a program counts. It sends through a Collector that is killed, and is not
// there for a while. When the program has been killed, too, what has arrived is what its profile has.
func TestOutage(t *testing.T) {
	if *outage == 0 {
		t.Skip("-outage 30s has the Collector down for so long")
	}
	collector, program := buildCollector(t), buildFollowed(t)
	b := new(backend)
	next := httptest.NewServer(b)
	defer next.Close()
	address, data := freeAddress(t), t.TempDir()
	b.start(t, collector, address, next.URL)
	followed := startWith(t, exec.Command(program, "1000000000"), "GOPROFINSTR_DIR="+data)
	agent := exec.Command(goprofinstr, "agent", "-http", "localhost:0", "-interval", "1s", "-dir", data, "-state", t.TempDir(), "-otlp", "http://"+address)
	out, err := agent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	startWith(t, agent)
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	arrived := func(more int64) int64 {
		for {
			if n, _ := b.totals(); n > more {
				return n
			}
			time.Sleep(100 * time.Millisecond) // the machine is for the programs
		}
	}
	before := arrived(0)
	down := time.Now()
	b.stop()
	time.Sleep(*outage)
	if n, _ := b.totals(); n < before {
		t.Fatal("what has arrived is less")
	}
	b.start(t, collector, address, next.URL)
	took := time.Since(down)
	arrived(before)
	followed.Process.Kill()
	followed.Wait()
	p, err := profile.Load(data)
	if err != nil {
		t.Fatal(err)
	}
	want := int64(0)
	for _, f := range p.Functions() {
		want += f.Entries
		for i := range f.Paths {
			want += f.Paths[i].Count
		}
	}
	got := arrived(want - 1)
	_, again := b.totals()
	t.Logf("down for %v; %d executions and calls arrived, the profile has %d; %d profiles came again",
		took.Round(time.Millisecond), got, want, again)
	if got != want {
		t.Errorf("%d arrived, want %d", got, want)
	}
	if again > 2 {
		t.Errorf("%d profiles came again, more than the one request that was under way had", again)
	}
}
