package agent

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/goprofinstr/goprofinstr/export/internal/look"
	"github.com/goprofinstr/goprofinstr/export/profile"
)

// mostSeconds is how long a request may last, and mostWaiting how many may at the same time.
const (
	mostSeconds = 300
	mostWaiting = 16
)

// Handler returns a handler of /debug/pprof/. If loopback is true it is for a server at a loopback address; see look.Guard.
func (a *Agent) Handler(loopback bool) http.Handler {
	h := &handler{a, make(chan bool, mostWaiting)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /debug/pprof/{$}", h.index)
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/debug/pprof/", http.StatusFound) })
	for i := range kinds {
		mux.HandleFunc("GET /debug/pprof/"+kinds[i].name, func(w http.ResponseWriter, r *http.Request) { h.profile(w, r, &kinds[i]) })
	}
	return look.Guard(loopback, mux)
}

// A handler serves what an agent knows.
type handler struct {
	*Agent
	waiting chan bool
}

// profile serves a profile as net/http/pprof does.
func (h *handler) profile(w http.ResponseWriter, r *http.Request, k *kind) {
	seconds, err := secondsOf(r)
	if err != nil {
		fail(w, http.StatusBadRequest, err)
		return
	}
	profiles, took, status, err := h.collect(r.Context(), r.FormValue("service"), seconds)
	if err != nil {
		fail(w, status, err)
		return
	}
	var b bytes.Buffer
	if err := k.write(&b, profiles, took); err != nil {
		fail(w, http.StatusInternalServerError, err)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", k.name+".pb.gz"))
	w.Write(b.Bytes()) // who does not read on has gone
}

// secondsOf returns how long a request is to last, 0 for one about everything.
func secondsOf(r *http.Request) (int, error) {
	text := r.FormValue("seconds")
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n <= 0 || n > mostSeconds {
		return 0, fmt.Errorf("seconds=%s: want a number from 1 to %d", text, mostSeconds)
	}
	return n, nil
}

// collect returns the profiles of a service: of everything, or of some seconds from now on. If that is an error, there is a
// status for it.
func (h *handler) collect(ctx context.Context, service string, seconds int) (
	list []*profile.Profile, took time.Duration, status int, err error,
) {
	select {
	case h.waiting <- true:
		defer func() { <-h.waiting }()
	default:
		return nil, 0, http.StatusServiceUnavailable, fmt.Errorf("%d requests are waiting already; try again later", mostWaiting)
	}
	if seconds == 0 {
		list, err = h.Now().Of(service).Profiles()
		return list, 0, http.StatusInternalServerError, err
	}
	before, began := h.Now().Of(service).WithContexts(), time.Now()
	select {
	case <-time.After(time.Duration(seconds) * time.Second):
	case <-ctx.Done():
		return nil, 0, http.StatusServiceUnavailable, ctx.Err()
	}
	after := h.Now().Of(service).WithContexts()
	took = time.Since(began)
	builds, err := after.Since(before)
	if err == nil {
		list, err = after.profilesOf(builds)
	}
	return list, took, http.StatusInternalServerError, err
}

// fail answers as net/http/pprof does, which `go tool pprof` shows.
func fail(w http.ResponseWriter, status int, err error) {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("X-Go-Pprof", "1")
	w.WriteHeader(status)
	fmt.Fprintln(w, "goprofinstr:", err)
}
