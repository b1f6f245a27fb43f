package pgoservice

import (
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/goprofinstr/goprofinstr/integration/eval/lab"
	"github.com/goprofinstr/goprofinstr/integration/eval/result"
)

// TestSend sends each request once, and compares answers.
func TestSend(t *testing.T) {
	var seen [2]atomic.Int64
	answer := "ok"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if body, err := io.ReadAll(r.Body); err != nil || len(body) == 0 {
			t.Errorf("%q, %v", body, err)
		}
		seen[0].Add(1)
		if r.URL.Path == "/search" {
			seen[1].Add(1)
		}
		io.WriteString(w, answer)
	}))
	defer server.Close()
	l, address := newLoad(), strings.TrimPrefix(server.URL, "http://")
	for _, list := range [][]request{mixed(7), ofKind(1, 130)} {
		if took, err := l.send(t.Context(), address, connections, list); err != nil || took <= 0 {
			t.Fatal(took, err)
		}
	}
	if all, searches := seen[0].Load(), seen[1].Load(); all != 7*int64(len(kinds))+130 || searches != 137 {
		t.Errorf("%d requests, %d of them searches", all, searches)
	}
	answer = "other"
	_, err := l.send(t.Context(), address, connections, ofKind(1, 1))
	if err == nil || !strings.Contains(err.Error(), "the answer is another one") {
		t.Errorf("another answer: %v", err)
	}
	if _, err := l.send(t.Context(), address, connections, ofKind(1, 1)); err == nil {
		t.Error("no error the second time")
	}
}

// TestRefused has a service that refuses requests.
func TestRefused(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	if _, err := newLoad().send(t.Context(), strings.TrimPrefix(server.URL, "http://"), 1, mixed(2)); err == nil {
		t.Error("no error")
	}
}

// TestShop serves all kinds of requests: the service takes them, and says what CPU time it has had.
func TestShop(t *testing.T) {
	if testing.Short() || runtime.GOOS == "windows" {
		t.Skip("builds and runs a program for Unix")
	}
	p, err := newProgram(&lab.Workshop{Scratch: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Build(nil, lab.FindMode(plain)); err != nil {
		t.Fatal(err)
	}
	r := new(result.Report)
	x := &Experiment{rounds: 1, requests: 5, procs: 1}
	table := x.newTables(r, []string{plain, again})
	for _, mode := range []string{plain, again} {
		if err := x.serve(t.Context(), p, newLoad(), mode, table); err != nil {
			t.Fatal(err)
		}
	}
	for _, m := range r.Measures {
		for _, row := range m.Rows {
			if row.Values[plain][0] <= 0 || len(row.Values[again]) != 1 {
				t.Errorf("%s, %s: %v", m.Title, row.Name, row.Values)
			}
		}
	}
}

// TestRequests makes the same requests each time, and different ones.
func TestRequests(t *testing.T) {
	a, b := requests(), requests()
	for k, list := range a {
		different := make(map[string]bool)
		for i := range list {
			if string(list[i]) != string(b[k][i]) {
				t.Fatalf("%s, request %d: %s and then %s", kinds[k].name, i, list[i], b[k][i])
			}
			different[string(list[i])] = true
		}
		if len(different) < bodies/2 {
			t.Errorf("%s has %d different requests", kinds[k].name, len(different))
		}
	}
}
