package spool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/goprofinstr/goprofinstr/export/fleet/push"
)

// childVariable has the folder and the server of a test binary that is an agent for a while: dir,URL.
const childVariable = "GOPROFINSTR_TEST_SPOOL"

func TestMain(m *testing.M) {
	if value := os.Getenv(childVariable); value != "" {
		dir, url, _ := strings.Cut(value, ",")
		if err := agent(dir, url); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// agentBatches is how many batches an agent adds in all its lives, 10 executions in each.
const agentBatches = 200

// agent adds batches and sends them until it is killed or all are sent. As package documentation has it, it writes the number
// of a batch before it adds it, and adds the last one again when it starts.
func agent(dir, url string) error {
	remote := remote(url)
	s, err := Open(Config{Dir: dir, Targets: map[string]push.Target{"server": remote}, MaxBytes: 8 << 10})
	if err != nil {
		return err
	}
	if err := remote.post("/doubtful", s.Stats()["server"].Doubtful, ""); err != nil {
		return err
	}
	state := filepath.Join(dir, "state")
	first := 1
	if text, err := os.ReadFile(state); err == nil {
		first, _ = strconv.Atoi(string(text))
	}
	for i := first; i <= agentBatches; i++ {
		if err := realDisk.put(state, []byte(strconv.Itoa(i))); err != nil {
			return err
		}
		b := minute(i, 10, 1)
		b.Seq = uint64(i)
		if err := s.Add(b); err != nil {
			return err
		}
		if i%3 == 0 {
			s.Flush(context.Background(), noon.Add(time.Duration(i)*time.Minute))
		}
	}
	return s.Flush(context.Background(), noon.Add(agentBatches*time.Minute))
}

// remote is a server by its address.
type remote string

func (r remote) post(path string, n int, id string) error {
	resp, err := http.Post(string(r)+path, "", strings.NewReader(fmt.Sprintf(`{"N":%d,"ID":%q}`, n, id)))
	if err != nil {
		return err
	}
	resp.Body.Close()
	if resp.StatusCode != 200 {
		return errors.New(resp.Status)
	}
	return nil
}

func (r remote) Push(ctx context.Context, b push.Batch) (push.Outcome, error) {
	if err := r.post("/push", int(total(b)), b.ID); err != nil {
		return push.Outcome{Verdict: push.Later}, err
	}
	return push.Outcome{Verdict: push.Delivered}, nil
}

func (r remote) Close() {}

// killer is a server that kills who asks it, in the middle of requests.
type killer struct {
	mu       sync.Mutex
	child    *exec.Cmd
	requests int // until the next one is killed
	random   *rand.Rand

	total, twice int  // what has arrived, and what of it will arrive again
	doubtful     int  // requests that agents say are
	killed       bool // this child
}

func (k *killer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	k.mu.Lock()
	defer k.mu.Unlock()
	var body struct{ N int }
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil || k.killed {
		return // it was killed while it sent this
	}
	if r.URL.Path == "/doubtful" {
		k.doubtful += body.N
		return
	}
	if k.requests--; k.requests != 0 {
		k.total += body.N
		return
	}
	if k.random.IntN(2) == 0 {
		k.total += body.N
		k.twice += body.N
	}
	k.killed = true
	k.child.Process.Kill()
	panic(http.ErrAbortHandler) // no answer
}

// live runs an agent that is killed in a request, or with -1 in none.
func (k *killer) live(dir, url string, request int) error {
	k.mu.Lock()
	k.killed, k.requests = false, request
	k.child = exec.Command(os.Args[0])
	k.child.Env = append(os.Environ(), childVariable+"="+dir+","+url)
	k.child.Stderr = os.Stderr
	err := k.child.Start()
	k.mu.Unlock()
	if err != nil {
		return err
	}
	return k.child.Wait()
}

// TestSIGKILL kills an agent in the middle of requests, 20 times, before or after the server has taken a batch.
func TestSIGKILL(t *testing.T) {
	if testing.Short() {
		t.Skip("kills processes")
	}
	k := &killer{random: rand.New(rand.NewPCG(1, 2))}
	server := httptest.NewServer(k)
	defer server.Close()
	dir := t.TempDir()
	const kills = 20
	for i := range kills {
		if err := k.live(dir, server.URL, 1+k.random.IntN(8)); err == nil {
			t.Fatalf("agent %d was not killed", i)
		}
	}
	if err := k.live(dir, server.URL, -1); err != nil {
		t.Fatal(err)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.total != 10*agentBatches+k.twice || k.twice == 0 {
		t.Errorf("%d executions arrived, want %d and %d twice", k.total, 10*agentBatches, k.twice)
	}
	if k.doubtful != kills {
		t.Errorf("%d requests are said to be doubtful, want %d", k.doubtful, kills)
	}
}
