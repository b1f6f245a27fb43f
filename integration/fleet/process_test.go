package fleet

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/pprofile"

	"github.com/goprofinstr/goprofinstr/export/fleet/otlp"
	"github.com/goprofinstr/goprofinstr/export/fleet/push"
	"github.com/goprofinstr/goprofinstr/export/fleet/spool"
)

// config is that of a Collector without queues: it acknowledges what the next server has acknowledged.
const config = `yaml:{
  receivers: {otlp: {protocols: {http: {endpoint: "%s"}}}},
  exporters: {otlp_http: {endpoint: "%s", sending_queue: {enabled: false}, retry_on_failure: {enabled: false}}},
  service: {
    telemetry: {metrics: {level: none}},
    pipelines: {profiles: {receivers: [otlp], exporters: [otlp_http]}},
  },
}`

// backend is what a Collector sends to. It may kill the Collector when it has taken a request, before it answers.
type backend struct {
	mu        sync.Mutex
	collector *exec.Cmd
	drained   chan bool // closed when it has said all
	kill      bool
	total     int64
	twice     int64 // of what will come again, since the Collector died
	once      map[pprofile.ProfileID]int64
	again     int // profiles that have come before
}

func (b *backend) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n, err := b.received(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	b.total += n
	if b.kill {
		b.kill = false
		b.twice += n
		b.collector.Process.Kill()
		panic(http.ErrAbortHandler)
	}
	w.Header().Set("Content-Type", "application/x-protobuf")
}

// received returns the sum of all samples in a request.
func (b *backend) received(r *http.Request) (sum int64, err error) {
	var body io.Reader = r.Body
	if r.Header.Get("Content-Encoding") == "gzip" {
		if body, err = gzip.NewReader(r.Body); err != nil {
			return 0, err
		}
	}
	raw, err := io.ReadAll(body)
	if err != nil {
		return 0, err
	}
	data, err := (&pprofile.ProtoUnmarshaler{}).UnmarshalProfiles(raw)
	if err != nil {
		return 0, err
	}
	for _, resource := range data.ResourceProfiles().All() {
		for _, scope := range resource.ScopeProfiles().All() {
			for _, p := range scope.Profiles().All() {
				n := int64(0)
				for _, s := range p.Samples().All() {
					n += s.Values().At(0)
				}
				b.note(p.ProfileID(), n)
				sum += n
			}
		}
	}
	return sum, nil
}

// start runs a Collector, and returns when it says that it is ready.
func (b *backend) start(t *testing.T, program, address, next string) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.collector = exec.Command(program, "--feature-gates=+service.profilesSupport", "--config", fmt.Sprintf(config, address, next))
	said, err := b.collector.StderrPipe()
	if err == nil {
		err = b.collector.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.stop)
	lines := bufio.NewScanner(said)
	var all string
	for lines.Scan() {
		all += lines.Text() + "\n"
		if strings.Contains(lines.Text(), "Everything is ready") {
			b.drained = make(chan bool)
			go func() {
				io.Copy(io.Discard, said)
				close(b.drained)
			}()
			return
		}
	}
	t.Fatalf("the collector has ended: %v\n%s", b.collector.Wait(), all)
}

// stop kills the Collector and waits until it has ended. The second time it does nothing.
func (b *backend) stop() {
	b.collector.Process.Kill()
	if b.drained != nil {
		<-b.drained
	}
	b.collector.Wait()
}

// TestCollectorKilled pushes through a Collector of its own process. The Collector is killed when it has sent a batch on and has
// not acknowledged it, and between requests.
func TestCollectorKilled(t *testing.T) {
	program := buildCollector(t)
	b := new(backend)
	next := httptest.NewServer(b)
	defer next.Close()
	address := freeAddress(t)
	s, err := spool.Open(spool.Config{
		Dir:     t.TempDir(),
		Targets: map[string]push.Target{"otlp": otlp.New(newClient(t, "http://"+address), "")},
		Log:     func(line string) { t.Error(line) },
	})
	if err != nil {
		t.Fatal(err)
	}
	now, want, paths := time.Now(), int64(0), largeProfile(100, 0)
	for i := range 40 {
		if i%10 == 0 {
			if i > 0 {
				b.stop() // it was killed before
			}
			b.start(t, program, address, next.URL)
		}
		b.mu.Lock()
		b.kill = i == 5 || i == 15
		b.mu.Unlock()
		if i == 25 {
			b.stop()
		}
		now = now.Add(time.Minute)
		want += value(paths, "path_execs")
		if err := s.Add(batch(push.Paths, now.Add(-time.Minute), paths)); err != nil {
			t.Fatal(err)
		}
		s.Flush(t.Context(), now) // what fails is sent the next time
	}
	if err := s.Flush(t.Context(), now); err != nil {
		t.Error(err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	stats := s.Stats()["otlp"]
	if b.total != want+b.twice || stats.Waiting != 0 {
		t.Errorf("%d executions arrived, want %d and %d twice; %+v", b.total, want, b.twice, stats)
	}
	if one := value(paths, "path_execs"); b.twice != 2*one || stats.Doubtful < 2 {
		t.Errorf("%d executions twice, want those of two batches, %d; %d requests are doubtful", b.twice, 2*one, stats.Doubtful)
	}
}
