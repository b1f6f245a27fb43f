package actions

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// An api is the part of GitHub's and GitLab's API that is about comments. It answers as their documentation says, on loopback.
type api struct {
	*httptest.Server
	t        *testing.T
	mu       sync.Mutex
	comments []comment
	requests []string // "POST", "PATCH 7": what has written, or tried to
	refuse   int      // the status for whatever writes; 0 for none
}

type comment struct {
	ID   int    `json:"id"`
	Body string `json:"body"`
	URL  string `json:"html_url"`
}

// What the scripts are recorded with.
const (
	token      = "secret"
	repository = "someone/shop"
	number     = "12"
	project    = "34"
)

// newAPI serves a pull request and a merge request with other comments, more than a page of them.
func newAPI(t *testing.T) *api {
	a := &api{t: t}
	for range 130 {
		a.add("see <!-- goprofinstr goprofinstr -->, which is not at the start")
	}
	const github, gitlab = "/repos/" + repository + "/issues/", "/projects/" + project + "/merge_requests/" + number + "/notes"
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+github+number+"/comments", a.list)
	mux.HandleFunc("POST "+github+number+"/comments", a.create)
	mux.HandleFunc("PATCH "+github+"comments/{id}", a.update)
	mux.HandleFunc("GET "+gitlab, a.list)
	mux.HandleFunc("POST "+gitlab, a.create)
	mux.HandleFunc("PUT "+gitlab+"/{id}", a.update)
	a.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+token && r.Header.Get("PRIVATE-TOKEN") != token {
			a.answer(w, http.StatusUnauthorized, map[string]string{"message": "Bad credentials"})
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(a.Close)
	return a
}

func (a *api) add(body string) comment {
	c := comment{ID: 1000 + len(a.comments), Body: body}
	c.URL = "https://example.com/comments/" + strconv.Itoa(c.ID)
	a.comments = append(a.comments, c)
	return c
}

func (a *api) answer(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(value); err != nil {
		a.t.Error(err)
	}
}

// list answers with a page.
func (a *api) list(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	per, errPer := strconv.Atoi(r.FormValue("per_page"))
	page, errPage := strconv.Atoi(r.FormValue("page"))
	if errPer != nil || errPage != nil || per < 1 || per > 100 || page < 1 {
		a.t.Errorf("page %q of %q", r.FormValue("page"), r.FormValue("per_page"))
	}
	from := min(per*(page-1), len(a.comments))
	a.answer(w, http.StatusOK, a.comments[from:min(from+per, len(a.comments))])
}

// body returns the text of a request to write, if it may. The body is an object that has nothing but the text, which is what both
// servers require.
func (a *api) body(w http.ResponseWriter, r *http.Request, what string) (body string, ok bool) {
	a.requests = append(a.requests, what)
	if a.refuse != 0 {
		a.answer(w, a.refuse, map[string]string{"message": "Resource not accessible by integration"})
		return "", false
	}
	var fields map[string]any
	d := json.NewDecoder(r.Body)
	if err := d.Decode(&fields); err != nil {
		a.t.Errorf("%s: %v", what, err)
	}
	most := 1_000_000 // characters that GitLab takes
	if r.Header.Get("Authorization") != "" {
		most = 65536 // GitHub
	}
	body, isText := fields["body"].(string)
	if !isText || len(fields) != 1 || body == "" || len([]rune(body)) > most {
		a.t.Errorf("%s: %d fields, a text of %d bytes", what, len(fields), len(body))
	}
	return body, true
}

func (a *api) create(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if body, ok := a.body(w, r, "create"); ok {
		a.answer(w, http.StatusCreated, a.add(body))
	}
}

func (a *api) update(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for i := range a.comments {
		if c := &a.comments[i]; strconv.Itoa(c.ID) == r.PathValue("id") {
			if body, ok := a.body(w, r, fmt.Sprintf("update %d", c.ID)); ok {
				c.Body = body
				a.answer(w, http.StatusOK, c)
			}
			return
		}
	}
	a.answer(w, http.StatusNotFound, map[string]string{"message": "Not Found"})
}

// ours returns the comments that a script has made.
func (a *api) ours() (list []comment) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, c := range a.comments {
		if strings.HasPrefix(c.Body, "<!-- goprofinstr ") {
			list = append(list, c)
		}
	}
	return list
}

// written returns what has written since the last call.
func (a *api) written() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	all := strings.Join(a.requests, ", ")
	a.requests = nil
	return all
}
