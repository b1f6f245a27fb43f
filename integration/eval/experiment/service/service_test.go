package service

import (
	"context"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/goprofinstr/goprofinstr/integration/eval/lab"
	"github.com/goprofinstr/goprofinstr/integration/eval/result"
)

// TestGenerate has a server that counts; the generator counts the same, and sends each request once.
func TestGenerate(t *testing.T) {
	var mu sync.Mutex
	seen := make(map[string]int)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		seen[r.URL.String()]++
	}))
	defer server.Close()
	answered, err := generate(context.Background(), strings.TrimPrefix(server.URL, "http://"), 0.1)
	if err != nil {
		t.Fatal(err)
	}
	all := 0
	for _, s := range streams {
		if answered[s.kind] != s.requests(0.1) {
			t.Errorf("%d requests of %s, not %d", answered[s.kind], s.kind, s.requests(0.1))
		}
		all += answered[s.kind]
	}
	if len(seen) != all || seen["/price?7"] != 1 {
		t.Errorf("%d of %d requests are different", len(seen), all)
	}
}

// TestRefused has a server that refuses requests, which is an error and no count.
func TestRefused(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	if answered, err := generate(context.Background(), strings.TrimPrefix(server.URL, "http://"), 1); err == nil {
		t.Errorf("%v", answered)
	}
}

// TestVerdict has a run that can be believed, and ones with a mistake each.
func TestVerdict(t *testing.T) {
	for _, test := range []struct {
		price, search float64 // of 1000
		never         int
		good          bool
	}{{1049, 1000, 0, true}, {1051, 1000, 0, false}, {1000, 1001, 0, false}, {1000, 1000, 1, false}} {
		v := verdict{never: test.never}
		v.addHandler(2000, 1000, test.price)
		v.addHandler(200, 1000, test.search)
		if v.good() != test.good {
			t.Errorf("%+v: %v", test, &v)
		}
	}
}

// TestService serves for an instant: exact counts are the generator's, and the service's own.
func TestService(t *testing.T) {
	if testing.Short() || runtime.GOOS != "linux" {
		t.Skip("builds and runs a program for Linux")
	}
	x := &Experiment{Flags: lab.Flags{Dir: t.TempDir()}, seconds: 0.3, backends: "portable"}
	r := new(result.Report)
	if err := x.Run(r); err != nil {
		t.Fatal(err)
	}
	if r.Failed() || !strings.HasPrefix(r.Notes[0], "believe exact: yes") {
		t.Errorf("failed, or %q", r.Notes)
	}
	for _, m := range r.Measures[:2] {
		for _, row := range m.Rows {
			if truth := row.Values[columnTruth]; row.Suite == lab.Exact && truth[0] != row.Values[columnEstimate][0] {
				t.Errorf("%s: %v", row.Name, row.Values)
			}
		}
	}
	if own := r.Measures[2].Rows; len(own) != len(streams) || own[0].Values[columnOwn][0] <= 0 {
		t.Errorf("own measures: %+v", own)
	}
}
