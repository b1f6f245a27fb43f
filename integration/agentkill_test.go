package integration

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"
	"testing"
	"time"

	google "github.com/google/pprof/profile"

	"github.com/goprofinstr/goprofinstr/export/pprof"
	"github.com/goprofinstr/goprofinstr/export/profile"
)

var (
	agentKills = flag.Int("agent.kills", 3, "how often TestAgentKilled kills its agent")
	agentSeed  = flag.Uint64("agent.seed", 0, "of what TestAgentKilled does at random; 0 picks one")
)

// A pushServer is a server of Pyroscope's push API that adds up what it takes, by path or function. It may kill the agent in the
// middle of a request.
type pushServer struct {
	mu     sync.Mutex
	random *rand.Rand
	agent  *exec.Cmd // to be killed
	in     int       // requests until then; 0: never
	sums   map[string]int64
	seen   map[string]bool // requests, by ID
	again  int             // those that were taken before
	lost   bool            // a request could not be read
}

func (s *pushServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	agent, kill := s.agent, s.in == 1
	if s.in > 0 {
		s.in--
	}
	before, take := kill && s.random.IntN(3) == 0, !kill || s.random.IntN(2) == 0
	if before { // while it sends
		agent.Process.Kill()
		panic(http.ErrAbortHandler)
	}
	if take && !s.take(r) { // it was killed while it sent this
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	if kill { // while it waits for the answer
		agent.Process.Kill()
		panic(http.ErrAbortHandler)
	}
}

// take adds a request to the sums, and reports whether it is whole.
func (s *pushServer) take(r *http.Request) bool {
	var body struct {
		Series []struct {
			Samples []struct {
				RawProfile []byte
				ID         string
			}
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		return false
	}
	for _, series := range body.Series {
		for _, sample := range series.Samples {
			p, err := google.ParseData(sample.RawProfile)
			if err != nil || sample.ID == "" {
				s.lost = true
				return false
			}
			if s.seen[sample.ID] {
				s.again++
				continue
			}
			s.seen[sample.ID] = true
			addSamples(s.sums, p)
		}
	}
	return true
}

// addSamples adds up the first values of a profile by its leaves.
func addSamples(sums map[string]int64, p *google.Profile) {
	for _, s := range p.Sample {
		sums[p.SampleType[0].Type+" of "+s.Location[0].Line[0].Function.Name] += s.Value[0]
	}
}

// An agentLife is a process of the agent, which may be killed.
type agentLife struct {
	cmd  *exec.Cmd
	out  io.Reader
	said bytes.Buffer
}

func startAgent(t *testing.T, url, data, state string) *agentLife {
	t.Helper()
	l := new(agentLife)
	l.cmd = exec.Command(goprofinstr, "agent", "-http", "localhost:0", "-interval", "1s", "-dir", data, "-state", state, "-pyroscope", url)
	l.cmd.Stderr = &l.said
	var err error
	if l.out, err = l.cmd.StdoutPipe(); err == nil {
		err = l.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.cmd.Process.Kill() })
	return l
}

var underWay = regexp.MustCompile(`(\d+) requests? may be counted twice`)

// doubtful returns how many requests an agent has said that were under way when the one before ended.
func (l *agentLife) doubtful() (n int) {
	for _, found := range underWay.FindAllStringSubmatch(l.said.String(), -1) {
		k, _ := strconv.Atoi(found[1])
		n += k
	}
	return n
}

// TestAgentKilled kills an agent at random moments, some of them in the middle of requests, while programs begin, end and are
// killed. Nothing is lost, and what is sent twice is what was being sent, which the agent says.
func TestAgentKilled(t *testing.T) {
	seed := *agentSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("-agent.seed %d -agent.kills %d", seed, *agentKills)
	random := rand.New(rand.NewPCG(seed, 1))
	dir := copyProgram(t, "followed")
	run(t, dir, goprofinstr, "wrap", "-atomic", "go", "build", "-o", "followed.exe", ".") // else counts that goroutines share shrink now and then
	data, state := t.TempDir(), t.TempDir()
	s := &pushServer{random: rand.New(rand.NewPCG(seed, 2)), sums: make(map[string]int64), seen: make(map[string]bool)}
	server := httptest.NewServer(s)
	defer server.Close()

	doubtful, inRequests := 0, 0
	steady := startCounted(t, filepath.Join(dir, "followed.exe"), data, 1_000_000_000, "10ms") // there are requests to be killed in, whatever has ended
	var programs []*exec.Cmd
	for range *agentKills {
		if len(programs) == 3 { // one makes room
			programs[0].Process.Kill()
			programs[0].Wait()
			programs = programs[1:]
		}
		programs = append(programs, startCounted(t, filepath.Join(dir, "followed.exe"), data, 10_000+random.IntN(1_000_000)))
		l := startAgent(t, server.URL, data, state)
		if random.IntN(2) == 0 {
			inRequests++
			s.killIn(l.cmd, 1+random.IntN(3))
		} else {
			s.killIn(nil, 0)
			moment := time.AfterFunc(time.Duration(random.IntN(1500))*time.Millisecond, func() { l.cmd.Process.Kill() })
			defer moment.Stop()
		}
		if err := l.cmd.Wait(); err == nil {
			t.Fatal("the agent has ended by itself")
		}
		doubtful += l.doubtful()
		if random.IntN(3) == 0 {
			programs[random.IntN(len(programs))].Process.Kill()
		}
	}
	s.killIn(nil, 0)
	steady.Process.Kill()
	for _, p := range append(programs, steady) {
		p.Wait()
	}
	for waiting := []string{"?"}; len(waiting) > 0; {
		last := startAgent(t, server.URL, data, state)
		if _, err := bufio.NewReader(last.out).ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		last.cmd.Process.Signal(os.Interrupt) // it sends what is new, and what is left
		if err := last.cmd.Wait(); err != nil {
			t.Fatalf("the last agent: %v\n%s", err, last.said.String())
		}
		doubtful += last.doubtful()
		waiting, _ = filepath.Glob(filepath.Join(state, "spool", "pyroscope", "*.*"))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t.Logf("%d kills, %d of them in requests: %d requests in all, %d of them sent again, %d said to be doubtful", *agentKills,
		inRequests, len(s.seen), s.again, doubtful)
	if s.again > doubtful || doubtful > *agentKills {
		t.Errorf("%d requests were sent again, and %d of %d kills are said to have been in a request", s.again, doubtful,
			*agentKills)
	}
	want := make(map[string]int64)
	p := load(t, data)
	p.Root = "" // an agent may not see sources, so that what it sends has no words of these
	for _, write := range []func(io.Writer, *profile.Profile) error{pprof.WritePaths, pprof.WriteCalls} {
		var b bytes.Buffer
		if err := write(&b, p); err != nil {
			t.Fatal(err)
		}
		of, err := google.Parse(&b)
		if err != nil {
			t.Fatal(err)
		}
		addSamples(want, of)
	}
	wrong := 0 // of which ten are enough to read
	for what, n := range want {
		if s.sums[what] != n && wrong < 10 {
			t.Errorf("%s: %d arrived, the profile has %d", what, s.sums[what], n)
			wrong++
		}
	}
	if len(s.sums) != len(want) || len(want) < 10 || s.lost {
		t.Errorf("%d paths and functions arrived, the profile has %d", len(s.sums), len(want))
	}
}

// startCounted starts an instrumented program, with more arguments.
func startCounted(t *testing.T, program, data string, rounds int, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(program, append([]string{strconv.Itoa(rounds)}, args...)...)
	cmd.Env = append(os.Environ(), "GOPROFINSTR_DIR="+data)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	return cmd
}

// killIn has an agent killed in a request.
func (s *pushServer) killIn(agent *exec.Cmd, requests int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.agent, s.in = agent, requests
}
