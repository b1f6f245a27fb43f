package agent

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/goprofinstr/goprofinstr/export/fleet/archive"
	"github.com/goprofinstr/goprofinstr/export/fleet/archive/store"
	"github.com/goprofinstr/goprofinstr/export/fleet/follow"
	"github.com/goprofinstr/goprofinstr/export/fleet/push"
	"github.com/goprofinstr/goprofinstr/export/fleet/spool"
	"github.com/goprofinstr/goprofinstr/export/internal/profiletest"
	"github.com/goprofinstr/goprofinstr/export/profiledir"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/sampler/pcct"
)

// A server adds up the calls that it is sent, while it is not down.
type server struct {
	mu    sync.Mutex
	down  bool
	calls int64
	got   []push.Batch

	pushed func()    // is called at a request, unless it is nil
	until  time.Time // when it must have answered the last one, if that was said
}

func (s *server) Push(ctx context.Context, b push.Batch) (push.Outcome, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.until, _ = ctx.Deadline()
	if s.down {
		return push.Outcome{Verdict: push.Later}, errors.New("it is down")
	}
	if s.pushed != nil {
		s.pushed()
	}
	s.got = append(s.got, b)
	if b.Name == push.Calls {
		for _, of := range b.Profile.Sample {
			s.calls += of.Value[0]
		}
	}
	return push.Outcome{Verdict: push.Delivered}, nil
}

func (s *server) Close() {}

// forwarder returns one that goes on from what is in a folder, with a clock that does not go by itself.
func forwarder(t *testing.T, runs, state string, s *server, clock *time.Time) *Forwarder {
	t.Helper()
	sender, err := spool.Open(spool.Config{Dir: filepath.Join(state, "spool"), Targets: map[string]push.Target{"test": s}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { sender.Close() })
	a := New(Options{Follow: follow.Options{Dirs: []string{runs}}})
	f := &Forwarder{Agent: a, Sender: sender, State: state, Host: "h", Now: func() time.Time { return *clock }}
	if err := f.Start(); err != nil {
		t.Fatal(err)
	}
	return f
}

// TestForward hands on what runs count, over times when the server is down, and crashes at each step of an interval.
// The server must have each call once.
func TestForward(t *testing.T) {
	for crash := range 4 {
		runs, state, s := t.TempDir(), t.TempDir(), new(server)
		clock := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
		f := forwarder(t, runs, state, s, &clock)
		interval := func(calls uint64) {
			t.Helper()
			write(t, runs, "web", calls)
			clock = clock.Add(time.Minute)
			if err := f.Interval(t.Context()); (err != nil) != s.down {
				t.Fatal(err)
			}
		}
		interval(10)
		s.down = true
		interval(25)
		write(t, runs, "web", 30)
		clock = clock.Add(time.Minute)
		if crash > 0 {
			if err := f.collect(clock); err != nil {
				t.Fatal(err)
			}
		}
		if crash > 1 {
			if err := f.save(); err != nil {
				t.Fatal(err)
			}
		}
		if crash > 2 {
			pending := f.state.Pending
			f.state.Pending = pending[:1]
			if err := f.addPending(); err != nil {
				t.Fatal(err)
			}
		}
		f = forwarder(t, runs, state, s, &clock) // after a crash
		s.down = false
		interval(31)
		if s.calls != 31 {
			t.Errorf("crash at step %d: the server has %d calls, want 31", crash, s.calls)
		}
	}
}

// TestForwardAway has a directory away for an interval, and files copied, as by a wrap that ends where files have one name only.
func TestForwardAway(t *testing.T) {
	runs, s := filepath.Join(t.TempDir(), "runs"), new(server)
	places := profiledir.Places(filepath.Join(runs, "run.web.1.gpi"))
	if err := os.MkdirAll(filepath.Dir(places[0]), 0o755); err != nil {
		t.Fatal(err)
	}
	clock := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	f := forwarder(t, runs, t.TempDir(), s, &clock)
	interval := func(what string, err error) {
		t.Helper()
		clock = clock.Add(time.Minute)
		if err := errors.Join(err, f.Interval(t.Context())); err != nil {
			t.Fatal(err)
		}
		if s.calls != 10 {
			t.Errorf("%s: the server has %d calls, want 10", what, s.calls)
		}
	}
	write(t, filepath.Dir(places[0]), "web", 10)
	interval("first", nil)
	interval("renamed", os.Rename(runs, runs+".away"))
	interval("renamed back", os.Rename(runs+".away", runs))
	write(t, runs, "web", 10)
	interval("copied", os.Remove(places[0]))
}

// TestForwardNoSpool has a spool that cannot be written, nor the number of the last batch, while the server is there and while it
// is not. What was sent from memory does not come again after a restart, and what was not is sent then.
func TestForwardNoSpool(t *testing.T) {
	for _, down := range []bool{false, true} {
		runs, state, s := t.TempDir(), t.TempDir(), &server{down: down}
		clock := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
		f := forwarder(t, runs, state, s, &clock)
		if err := os.RemoveAll(filepath.Join(state, "spool")); err != nil {
			t.Fatal(err)
		}
		write(t, runs, "web", 10)
		f.Interval(t.Context())
		s.down = false
		f = forwarder(t, runs, state, s, &clock)
		clock = clock.Add(time.Minute)
		if err := f.Interval(t.Context()); err != nil || s.calls != 10 {
			t.Errorf("down %t: the server has %d calls, want 10; %v", down, s.calls, err)
		}
	}
}

// TestPendingBad has a batch that the sender does not take: those behind it are sent.
func TestPendingBad(t *testing.T) {
	runs, s := t.TempDir(), new(server)
	clock := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	f := forwarder(t, runs, t.TempDir(), s, &clock)
	write(t, runs, "web", 10)
	if err := f.collect(clock.Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	f.state.Pending[0].Name = "goprofinstr_others"
	if err := f.addPending(); err == nil {
		t.Error("a batch is taken that has another name than those of profiles")
	}
	if err := f.Sender.Flush(t.Context(), clock); err != nil || len(s.got) != 1 || s.calls != 10 {
		t.Errorf("the server has %d batches and %d calls, want 1 and 10; %v", len(s.got), s.calls, err)
	}
}

// TestLostState loses the state, and not the spool: everything is sent once more, and nothing after that is ignored.
func TestLostState(t *testing.T) {
	runs, state, s := t.TempDir(), t.TempDir(), new(server)
	clock := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	write(t, runs, "web", 10)
	if err := forwarder(t, runs, state, s, &clock).Interval(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(state, stateName)); err != nil {
		t.Fatal(err)
	}
	clock = clock.Add(time.Minute)
	write(t, runs, "web", 12)
	if err := forwarder(t, runs, state, s, &clock).Interval(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s.calls != 10+12 {
		t.Errorf("%d calls, want 22", s.calls)
	}
	if err := os.WriteFile(filepath.Join(state, stateName), []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := &Forwarder{Agent: New(Options{}), State: state}
	if err := f.Start(); err == nil {
		t.Error("a damaged state is taken for none")
	}
}

// TestArchived has the archive fail once: a run that has ended is put there the next time, and then its file is removed.
func TestArchived(t *testing.T) {
	runs, state := t.TempDir(), t.TempDir()
	dir := filepath.Join(t.TempDir(), "archive")
	a, err := archive.Create(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	write(t, runs, "web", 10)
	f := &Forwarder{Agent: New(Options{Follow: follow.Options{Dirs: []string{runs}}}), Archive: a, State: state, Host: "h", Remove: true}
	if err := f.Start(); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(dir, dir+".away"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir, nil, 0o600); err != nil { // in its place
		t.Fatal(err)
	}
	if err := f.Interval(t.Context()); err == nil {
		t.Fatal("the archive is not there")
	}
	if err := errors.Join(os.Remove(dir), os.Rename(dir+".away", dir)); err != nil {
		t.Fatal(err)
	}
	if err := f.Interval(t.Context()); err != nil {
		t.Fatal(err)
	}
	builds, damaged, err := a.Merge(t.Context(), archive.Select{})
	if err != nil || len(damaged) > 0 || len(builds) != 1 {
		t.Fatal(builds, damaged, err)
	}
	if _, err := os.Stat(filepath.Join(runs, "run.web.1.gpi")); err == nil {
		t.Error("the file of a run that has ended is still there")
	}
}

// TestOpenedLater has an archive that cannot be opened at first. The run is put there, and its file removed, when it can.
func TestOpenedLater(t *testing.T) {
	runs := t.TempDir()
	a, err := archive.Create(t.Context(), filepath.Join(t.TempDir(), "archive"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, runs, "web", 10)
	failed, opened := errors.New("no answer"), 0
	f := &Forwarder{Agent: New(Options{Follow: follow.Options{Dirs: []string{runs}}}), Host: "h", Remove: true}
	f.Open = func(context.Context) (*archive.Archive, error) {
		if opened++; opened == 1 {
			return nil, failed
		}
		return a, nil
	}
	if err := f.Start(); err != nil {
		t.Fatal(err)
	}
	for i, want := range []error{failed, nil, nil} {
		if err := f.Interval(t.Context()); !errors.Is(err, want) || want == nil && err != nil {
			t.Errorf("interval %d: %v, want %v", i, err, want)
		}
		if _, err := os.Stat(filepath.Join(runs, "run.web.1.gpi")); (err == nil) != (want != nil) {
			t.Errorf("interval %d: the run's file: %v", i, err)
		}
	}
	builds, damaged, err := a.Merge(t.Context(), archive.Select{})
	if err != nil || damaged != nil || len(builds) != 1 || opened != 2 {
		t.Errorf("%d builds, damaged %v, %v; opened %d times", len(builds), damaged, err, opened)
	}
}

// TestArchivedTwice archives a run by the agent, and its directory, as archive add does. It must be one run.
func TestArchivedTwice(t *testing.T) {
	for _, told := range []struct{ service, attributes string }{{"shop", ""}, {"", "service.name=shop"}} {
		runs := t.TempDir()
		a, err := archive.Create(t.Context(), filepath.Join(t.TempDir(), "archive"))
		if err != nil {
			t.Fatal(err)
		}
		r := profiletest.NewRun(4711, 0, []string{"/bin/web"}, profiletest.Lex())
		profiletest.CallWords(r, 5, "two words")
		r.Data().Service, r.Data().Attributes = told.service, told.attributes
		if err := r.WriteFile(filepath.Join(runs, "run.4711.1.gpi")); err != nil {
			t.Fatal(err)
		}
		f := &Forwarder{Agent: New(Options{Follow: follow.Options{Dirs: []string{runs}}}), Archive: a, Host: "h"}
		if err := errors.Join(f.Start(), f.Interval(t.Context())); err != nil {
			t.Fatal(err)
		}
		d := archive.Directory{Path: runs, Host: "h", Service: "others"}
		if _, damaged, err := a.AddDirectory(t.Context(), d); err != nil || damaged != nil {
			t.Fatal(damaged, err)
		}
		builds, damaged, err := a.Merge(t.Context(), archive.Select{})
		if err != nil || damaged != nil || len(builds) != 1 {
			t.Fatalf("%+v: %d builds, damaged %v, error %v", told, len(builds), damaged, err)
		}
		if b := builds[0]; b.Service != "shop" || b.Processes() != 1 {
			t.Errorf("%+v: %d runs of service %q, want 1 of shop", told, b.Processes(), b.Service)
		}
	}
}

// TestForwardBesideRequests has a request read a run between two intervals: the second one hands on what the request has seen.
func TestForwardBesideRequests(t *testing.T) {
	runs, state, s := t.TempDir(), t.TempDir(), new(server)
	clock := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	f := forwarder(t, runs, state, s, &clock)
	write(t, runs, "web", 5)
	f.Agent.Now()
	if err := f.Interval(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s.calls != 5 {
		t.Errorf("%d calls, want 5", s.calls)
	}
}

// TestFoldBesideRequests has a request read the last of a run while the server is sent what was before, and then its file is
// removed. The next interval must hand on what the request has seen.
func TestFoldBesideRequests(t *testing.T) {
	runs, state, s := t.TempDir(), t.TempDir(), new(server)
	clock := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	f := forwarder(t, runs, state, s, &clock)
	write(t, runs, "web", 5)
	s.pushed = func() {
		write(t, runs, "web", 7)
		write(t, runs, "db", 100)
		f.Agent.Now()
		for _, name := range []string{"web", "db"} {
			if err := os.Remove(filepath.Join(runs, "run."+name+".1.gpi")); err != nil {
				t.Error(err)
			}
		}
		s.pushed = nil
	}
	for range 2 {
		if err := f.Interval(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if s.calls != 107 {
		t.Errorf("%d calls, want 107", s.calls)
	}
	if n := len(f.Agent.follower.Runs()); n != 0 {
		t.Errorf("%d runs whose files are gone are kept", n)
	}
}

// TestPrivate has secrets on a command line and in labels that are not to leave the machine: no server and no archive gets them.
func TestPrivate(t *testing.T) {
	const secret = "hunter2"
	runs, state, s := t.TempDir(), t.TempDir(), new(server)
	dir := filepath.Join(t.TempDir(), "archive")
	a, err := archive.Create(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	r := profiletest.NewRun(4711, 0, []string{"/bin/web", "--password=" + secret}, profiletest.Lex())
	profiletest.CallWords(r, 5, "two words")
	r.Data().Attributes = "service.version=v1,user.password=" + secret
	if err := r.WriteFile(filepath.Join(runs, "run.1.1.gpi")); err != nil {
		t.Fatal(err)
	}
	clock := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	f := forwarder(t, runs, state, s, &clock)
	f.Archive = a
	if err := f.Interval(t.Context()); err != nil {
		t.Fatal(err)
	}
	var sent bytes.Buffer
	for _, b := range s.got {
		fmt.Fprintln(&sent, b.Labels)
		if err := b.Profile.WriteUncompressed(&sent); err != nil {
			t.Fatal(err)
		}
	}
	for _, object := range filesBelow(t, dir) {
		sent.Write(object)
	}
	for _, always := range []string{"web", "service.version:v1"} {
		if !bytes.Contains(sent.Bytes(), []byte(always)) {
			t.Errorf("%q was not sent", always)
		}
	}
	for _, never := range []string{secret, "4711"} {
		if bytes.Contains(sent.Bytes(), []byte(never)) {
			t.Errorf("%q has left the machine", never)
		}
	}
}

// TestGoroutineLabels has labels of goroutines: those leave the machine that -label names, and no others.
func TestGoroutineLabels(t *testing.T) {
	labels := []pcct.Label{{Key: "user", Value: "hunter2"}, {Key: "service.version", Value: "v1"}, {Key: "tier", Value: "gold"}}
	for _, test := range []struct{ names, want []string }{{nil, []string{"service.version"}}, {[]string{"tier"}, []string{"tier"}}} {
		c := &rundata.Contexts{Nodes: []pcct.Node{{Parent: -1, Labels: labels}}}
		New(Options{Labels: test.names}).limitLabels([]*rundata.Contexts{c})
		var got []string
		for _, l := range c.Nodes[0].Labels {
			got = append(got, l.Key)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%v: %v, want %v", test.names, got, test.want)
		}
	}
	if labels[0].Value != "hunter2" {
		t.Error("what the run has was changed")
	}
}

// filesBelow returns the contents of all files, inflated if they are compressed.
func filesBelow(t *testing.T, dir string) (all [][]byte) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		all = append(all, []byte(name), data)
		if z, err := gzip.NewReader(bytes.NewReader(data)); err == nil {
			if inflated, err := io.ReadAll(z); err == nil {
				all = append(all, inflated)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestStateFull has no place for the state. It is told once; counts are sent all the same.
func TestStateFull(t *testing.T) {
	runs, state, s := t.TempDir(), t.TempDir(), new(server)
	clock := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	f := forwarder(t, runs, state, s, &clock)
	f.State = filepath.Join(state, "file", "below")
	if err := os.WriteFile(filepath.Join(state, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		write(t, runs, "web", uint64(10+i))
		clock = clock.Add(time.Minute)
		if err := f.Interval(t.Context()); (err != nil) != (i == 0) || err != nil && !strings.Contains(err.Error(), "sent twice") {
			t.Errorf("interval %d: %v", i, err)
		}
	}
	if s.calls != 12 {
		t.Errorf("%d calls, want 12", s.calls)
	}
}

// TestStateBehind has no place for the state for a while, and another agent go on from the state before that. Counts of the while
// are sent twice, as was told, and those after it are not ignored.
func TestStateBehind(t *testing.T) {
	runs, state, s := t.TempDir(), t.TempDir(), new(server)
	clock := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	f := forwarder(t, runs, state, s, &clock)
	interval := func(calls uint64, fails bool) {
		t.Helper()
		write(t, runs, "web", calls)
		clock = clock.Add(time.Minute)
		if err := f.Interval(t.Context()); (err != nil) != fails {
			t.Fatal(err)
		}
	}
	interval(10, false)
	f.State = filepath.Join(state, stateName, "below") // a file
	interval(25, true)
	interval(30, false) // it was told
	f = forwarder(t, runs, state, s, &clock)
	interval(31, false)
	if s.calls != 31+20 {
		t.Errorf("the server has %d calls, want 31, and 20 of them twice", s.calls)
	}
}

// TestRemovedLater has no place for the state when a run has ended. Its file is removed when there is one.
func TestRemovedLater(t *testing.T) {
	runs, state, s := t.TempDir(), t.TempDir(), new(server)
	clock := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	f := forwarder(t, runs, state, s, &clock)
	f.State, f.Remove = filepath.Join(state, "file", "below"), true
	if err := os.WriteFile(filepath.Join(state, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	write(t, runs, "web", 10)
	name := filepath.Join(runs, "run.web.1.gpi")
	if err := f.Interval(t.Context()); err == nil {
		t.Error("the state has no place, and nothing is told")
	}
	if _, err := os.Stat(name); err != nil {
		t.Errorf("without a state: %v", err)
	}
	if err := os.Remove(filepath.Join(state, "file")); err != nil {
		t.Fatal(err)
	}
	clock = clock.Add(time.Minute)
	if err := f.Interval(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(name); err == nil {
		t.Error("the file of a run that has ended is still there")
	}
	if s.calls != 10 {
		t.Errorf("%d calls, want 10", s.calls)
	}
}

// TestNotRemoved has a file in whose place is something that cannot be removed for a while. It is told once, and removed then.
func TestNotRemoved(t *testing.T) {
	dir := t.TempDir()
	name, other := filepath.Join(dir, "run.web.1.gpi"), filepath.Join(dir, "run.db.1.gpi")
	inside := filepath.Join(name, "inside")
	f := &Forwarder{Agent: New(Options{}), done: []string{name, other, filepath.Join(dir, "gone")}}
	if err := errors.Join(os.MkdirAll(inside, 0o700), os.WriteFile(other, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	for i := range 4 {
		err := f.putRuns(t.Context())
		if (err != nil) != (i == 0) || err != nil && !strings.Contains(err.Error(), name) {
			t.Errorf("interval %d: %v", i, err)
		}
		if want := i < 3; slices.Contains(f.done, name) != want || len(f.done) > 1 {
			t.Errorf("interval %d: %q are to be removed", i, f.done)
		}
		if i == 2 {
			if err := os.Remove(inside); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := os.Stat(name); err == nil {
		t.Error("the file is still there")
	}
}

// A failingStore can be read, and nothing more can be put there.
type failingStore struct {
	*store.Dir
	put func(context.Context) error
}

func (s *failingStore) Put(ctx context.Context, _ string, _ []byte) error { return s.put(ctx) }

// TestStoreFails has an archive whose store fails, with more runs than it is tried for. The server gets what is new before that,
// and no run is waited for without end. Of the time that an agent has that is to end, the server does not get all.
func TestStoreFails(t *testing.T) {
	runs, state, s := t.TempDir(), t.TempDir(), new(server)
	clock := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	f := forwarder(t, runs, state, s, &clock)
	dir, err := store.OpenDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	f.Archive, err = archive.CreateStore(t.Context(), "test", &failingStore{dir, func(ctx context.Context) error {
		if tried++; s.calls != 10 {
			t.Errorf("the archive is tried when the server has %d calls, want 10", s.calls)
		}
		if _, ok := ctx.Deadline(); !ok {
			t.Error("the store may take as long as it likes")
		}
		return errors.New("no answer")
	}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		write(t, runs, fmt.Sprint("web", i), 1)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	if err := f.Interval(ctx); err == nil || tried != mostFailed || len(f.waiting) != 10 {
		t.Errorf("tried %d times, %d runs wait, %v; want %d, 10 and an error", tried, len(f.waiting), err, mostFailed)
	}
	if end, _ := ctx.Deadline(); s.until.IsZero() || end.Sub(s.until) < 20*time.Minute {
		t.Errorf("of an hour, until %v, the server has the time until %v", end, s.until)
	}
	for name, w := range f.waiting {
		w.Start = time.Time{} // it is the run then
		f.waiting[name] = w
	}
	err = f.putRuns(t.Context())
	if n := strings.Count(fmt.Sprint(err), "\n") + 1; !errors.Is(err, archive.ErrRun) || n != 10 {
		t.Errorf("%d errors, want one for each of 10 runs: %v", n, err)
	}
}
