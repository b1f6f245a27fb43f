package agent

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	google "github.com/google/pprof/profile"

	"github.com/goprofinstr/goprofinstr/export/fleet/follow"
	"github.com/goprofinstr/goprofinstr/export/internal/profiletest"
	"github.com/goprofinstr/goprofinstr/export/profiledir"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// write writes the run file of a process that has called Words so many times.
func write(t *testing.T, dir, name string, times uint64, tables ...*table.Package) {
	t.Helper()
	if len(tables) == 0 {
		tables = append(tables, profiletest.Lex())
	}
	r := profiletest.NewRun(1, 0, []string{"/bin/" + name}, tables...)
	profiletest.CallWords(r, times, "two words")
	if err := r.WriteFile(filepath.Join(dir, "run."+name+".1.gpi")); err != nil {
		t.Fatal(err)
	}
}

// newAgent returns an agent that follows a directory, and the lines that it says.
func newAgent(dirs ...string) (a *Agent, said *[]string) {
	said = new([]string)
	say := func(line string) { *said = append(*said, line) }
	return New(Options{Follow: follow.Options{Dirs: dirs}, Say: say}), said
}

// get returns the answer to a request.
func get(t *testing.T, h http.Handler, target string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	r := httptest.NewRequest("GET", "http://localhost"+target, nil)
	h.ServeHTTP(w, r)
	return w
}

// parse returns the profile of an answer, and the sum of its first values.
func parse(t *testing.T, w *httptest.ResponseRecorder) (p *google.Profile, sum int64) {
	t.Helper()
	if w.Code != http.StatusOK {
		t.Fatalf("status %d: %s", w.Code, w.Body)
	}
	p, err := google.Parse(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.CheckValid(); err != nil {
		t.Error(err)
	}
	for _, s := range p.Sample {
		sum += s.Value[0]
	}
	return p, sum
}

// TestServices serves the runs of two services, of one of which there are two builds.
func TestServices(t *testing.T) {
	dir := t.TempDir()
	other := profiletest.Lex()
	other.Functions[0].Line++ // another build
	write(t, dir, "web", 3)
	write(t, dir, "db", 100)
	dir2 := t.TempDir()
	write(t, dir2, "web", 40, other)
	a, said := newAgent(dir, dir2)
	h := a.Handler(true)
	for target, want := range map[string]int64{
		"/debug/pprof/calls":             143,
		"/debug/pprof/calls?service=web": 43,
		"/debug/pprof/calls?service=db":  100,
		"/debug/pprof/calls?service=no":  0,
	} {
		if _, got := parse(t, get(t, h, target)); got != want {
			t.Errorf("%s: %d calls, want %d", target, got, want)
		}
	}
	index := get(t, h, "/debug/pprof/").Body.String()
	for _, want := range []string{"<td>web<td>0<td>2", "<td>db<td>0<td>1"} {
		if !strings.Contains(index, want) {
			t.Errorf("the index has no %q:\n%s", want, index)
		}
	}
	if len(*said) > 0 {
		t.Errorf("the agent says %q", *said)
	}
}

// TestReadOneByOne has runs of two builds. The counters of one run of each are held, and the profiles have the counts of all.
func TestReadOneByOne(t *testing.T) {
	dir, other := t.TempDir(), profiletest.Lex()
	other.Functions[0].Line++ // another build
	for i := range 3 {
		write(t, dir, fmt.Sprint("web", i), 10)
		write(t, dir, fmt.Sprint("db", i), 100, other)
	}
	a, _ := newAgent(dir)
	for _, b := range a.Now().builds() {
		held := 0
		for _, r := range b.runs {
			held += len(r.Packages)
		}
		if len(b.runs) != 3 || held != 1 {
			t.Errorf("%d runs, want 3; the counters of %d packages are held, want 1", len(b.runs), held)
		}
	}
	p, got := parse(t, get(t, a.Handler(true), "/debug/pprof/calls"))
	if got != 330 || !slices.Equal(p.Comments, []string{"goprofinstr: exact counts of 3 runs"}) {
		t.Errorf("%d calls, %q; want 330 of 3 runs of each build", got, p.Comments)
	}
}

// TestSince has a run begin and end between two states.
func TestSince(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "old", 5)
	a, _ := newAgent(dir)
	before := a.Now()
	write(t, dir, "new", 7)
	if n := callsSince(t, a.Now(), before); n != 7 {
		t.Errorf("%d calls, want 7", n)
	}
}

// callsSince returns how often Words was called between two states, of one build.
func callsSince(t *testing.T, after, before *State) int64 {
	t.Helper()
	builds, err := after.Since(before)
	if err != nil {
		t.Fatal(err)
	}
	list, err := after.profilesOf(builds)
	if err != nil || len(list) != 1 {
		t.Fatalf("%d builds, %v", len(list), err)
	}
	return list[0].Functions()[0].Entries
}

// TestRefusals has requests that are mistakes.
func TestRefusals(t *testing.T) {
	a, _ := newAgent(t.TempDir())
	h := a.Handler(true)
	for target, want := range map[string]int{
		"/debug/pprof/paths?seconds=0":     http.StatusBadRequest,
		"/debug/pprof/paths?seconds=-1":    http.StatusBadRequest,
		"/debug/pprof/paths?seconds=301":   http.StatusBadRequest,
		"/debug/pprof/paths?seconds=five":  http.StatusBadRequest,
		"/debug/pprof/heap":                http.StatusNotFound,
		"/debug/pprof/../../../etc/passwd": http.StatusTemporaryRedirect, // to /etc/passwd, of which there is none
	} {
		if w := get(t, h, target); w.Code != want {
			t.Errorf("%s: %d, want %d", target, w.Code, want)
		}
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("POST", "http://localhost/debug/pprof/paths", nil))
	if w.Code != http.StatusMethodNotAllowed {
		t.Errorf("POST: %d", w.Code)
	}
	w = httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "http://evil.example/debug/pprof/paths", nil))
	if w.Code != http.StatusForbidden {
		t.Errorf("another host: %d", w.Code)
	}
}

// TestWaiting has as many requests as may wait, one more, and then all of their clients leave.
func TestWaiting(t *testing.T) {
	a, _ := newAgent(t.TempDir())
	h := a.Handler(true)
	ctx, leave := context.WithCancel(t.Context())
	ask := func() int {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequestWithContext(ctx, "GET", "http://localhost/debug/pprof/paths?seconds=300", nil))
		return w.Code
	}
	var wg sync.WaitGroup
	refused := make(chan bool, mostWaiting+1)
	for range mostWaiting + 1 {
		wg.Go(func() {
			if ask() == http.StatusServiceUnavailable {
				refused <- true
			}
		})
	}
	<-refused // it is the one too many: all others wait for minutes
	if w := get(t, h, "/debug/pprof/paths"); w.Code != http.StatusServiceUnavailable {
		t.Errorf("about everything: status %d", w.Code)
	}
	leave()
	wg.Wait()
}

// TestDistrust has files that are none of ours: each costs one line, and nothing else.
func TestDistrust(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "good", 5)
	elsewhere := t.TempDir()
	write(t, elsewhere, "secret", 1000)
	if err := os.Symlink(filepath.Join(elsewhere, "run.secret.1.gpi"), filepath.Join(dir, "run.2.1.gpi")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "run.3.1.gpi"), []byte(strings.Repeat("no run file ", 1000)), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "run.4.1.gpi"), 0o755); err != nil {
		t.Fatal(err)
	}
	a, said := newAgent(dir)
	h := a.Handler(true)
	for range 3 {
		if _, got := parse(t, get(t, h, "/debug/pprof/calls")); got != 5 {
			t.Errorf("%d calls, want 5", got)
		}
	}
	if len(*said) != 3 {
		t.Errorf("the agent says %q, want a line for each of three files", *said)
	}
}

// TestVersions has files of other versions of the format, as programs of an older or newer goprofinstr write beside one's own.
// They are passed over, and the index says how many.
func TestVersions(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "good", 5)
	a, said := newAgent(dir)
	h := a.Handler(true)
	if index := get(t, h, "/debug/pprof/").Body.String(); strings.Contains(index, "passed over") {
		t.Errorf("files are passed over where all can be read:\n%s", index)
	}
	for _, name := range []string{"older", "newer"} {
		write(t, dir, name, 100)
		file := filepath.Join(dir, "run."+name+".1.gpi")
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		b[8] = 99 // the version
		if err := os.WriteFile(file, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "run.3.1.gpi"), []byte(strings.Repeat("no run file ", 1000)), 0o644); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		const passed = "2 of another version of goprofinstr, 1 with something else wrong"
		if index := get(t, h, "/debug/pprof/").Body.String(); !strings.Contains(index, passed) {
			t.Errorf("the index does not have two files of other versions and one that is none:\n%s", index)
		}
	}
	if _, got := parse(t, get(t, h, "/debug/pprof/calls")); got != 5 {
		t.Errorf("%d calls, want 5", got)
	}
	if all := strings.Join(*said, "\n"); len(*said) != 3 || strings.Count(all, "version 99") != 2 {
		t.Errorf("the agent says %q, want a line for each of three files", *said)
	}
}

// TestGone removes a file that an agent has read: what was counted is not lost.
func TestGone(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "web", 3)
	a, _ := newAgent(dir)
	a.Watch()
	if err := os.Remove(filepath.Join(dir, "run.web.1.gpi")); err != nil {
		t.Fatal(err)
	}
	if _, got := parse(t, get(t, a.Handler(true), "/debug/pprof/calls")); got != 3 {
		t.Errorf("%d calls, want 3", got)
	}
}

// TestFoldMoved has a run that has ended before its wrap, whose file an agent does not find in the moment in which the wrap ends.
func TestFoldMoved(t *testing.T) {
	dir := t.TempDir()
	places := profiledir.Places(filepath.Join(dir, "run.web.1.gpi"))
	for _, name := range places[:2] {
		if err := os.Mkdir(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	a, _ := newAgent(dir)
	write(t, filepath.Dir(places[0]), "web", 5)
	a.Watch()
	for i := range 2 {
		if err := os.Rename(places[i], places[i+1]); err != nil {
			t.Fatal(err)
		}
		a.Watch()
	}
	if got := a.Now().Services(); len(got) != 1 || got[0] != (Service{Name: "web", Ended: 1}) {
		t.Errorf("services %v, want one run", got)
	}
}

// TestFold has runs that end and go, before and between two states: what they have counted stays, and none comes twice.
func TestFold(t *testing.T) {
	dir := t.TempDir()
	a, _ := newAgent(dir)
	remove := func(name string) {
		a.Watch()
		if err := os.Remove(filepath.Join(dir, "run."+name+".1.gpi")); err != nil {
			t.Fatal(err)
		}
		a.Watch()
	}
	write(t, dir, "web", 1)
	remove("web")
	if err := os.Mkdir(filepath.Join(dir, "x"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "web", 20)
	before := a.Now()
	remove("web")
	write(t, dir, "web", 300)
	remove("web")
	after := a.Now()
	if n := len(after.runs); n != 1 {
		t.Errorf("%d runs are kept, want the sum of three", n)
	}
	if n := callsSince(t, after, before); n != 300 {
		t.Errorf("%d calls since, want 300", n)
	}
	if _, got := parse(t, get(t, a.Handler(true), "/debug/pprof/calls")); got != 321 {
		t.Errorf("%d calls, want 321", got)
	}
	if got := after.Services(); len(got) != 1 || got[0] != (Service{Name: "web", Ended: 3}) {
		t.Errorf("services %v", got)
	}
}
