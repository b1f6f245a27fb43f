package spool

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goprofinstr/goprofinstr/export/fleet/push"
)

// poison answers what a Collector does that takes everything but one path of each batch, which it holds, and so the batch.
func poison(path string) func(push.Batch) push.Outcome {
	return func(b push.Batch) push.Outcome {
		for _, s := range b.Profile.Sample {
			if strings.Contains(s.Location[0].Line[0].Function.Name, path) {
				return push.Outcome{Verdict: push.Held, Doubtful: true}
			}
		}
		return push.Outcome{Verdict: push.Delivered}
	}
}

// other returns a batch of another service.
func other(i int) push.Batch {
	b := minute(i, 1, 1)
	b.Labels = map[string]string{"service_name": "other"}
	return b
}

// setAside returns the executions in files that were set aside, and how many samples they are.
func setAside(t *testing.T, dir string) (sum int64, samples int) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "server", refusedDir, "*.batch"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		b, err := read(name)
		if err != nil {
			t.Fatal(err)
		}
		sum, samples = sum+total(b), samples+len(b.Profile.Sample)
	}
	return sum, samples
}

// TestPoison has one path that the server never takes, in the batches of 20 minutes. Everything else arrives, no batch waits for
// long, and the path is set aside, with all its counts.
func TestPoison(t *testing.T) {
	dir, target := t.TempDir(), &server{answer: poison("{path 77:")}
	var told lines
	s := open(t, dir, target, 0, told.log)
	want := int64(0)
	for i := range 20 {
		b := minute(i, 80, 3)
		want += total(b) + 1
		add(t, s, b)
		add(t, s, other(i))
		s.Flush(t.Context(), noon.Add(time.Duration(i+1)*time.Minute))
		if n := s.Stats()["server"].Waiting; n > 10 {
			t.Fatalf("minute %d: %d batches wait", i, n)
		}
	}
	for i := range 8 {
		add(t, s, other(20+i))
		want++
		s.Flush(t.Context(), noon.Add(time.Duration(21+i)*time.Minute))
	}
	apart, samples := setAside(t, dir)
	stats := s.Stats()["server"]
	if apart != 20*3 || samples == 0 || target.total+apart != want || stats.Waiting != 0 || stats.Refused == 0 {
		t.Errorf("%d arrived and %d are set aside in %d samples, want %d in all, 60 of them aside; %+v", target.total, apart,
			samples, want, stats)
	}
	if len(told) == 0 || !strings.Contains(told[0], "path_execs/count 3") || !strings.Contains(told[0], refusedDir) {
		t.Errorf("told %q", told)
	}
}

// TestPoisonMovedBack moves what was set aside back when the server takes it.
func TestPoisonMovedBack(t *testing.T) {
	dir, target := t.TempDir(), &server{answer: poison("{path 3:")}
	s := open(t, dir, target, 0, nil)
	add(t, s, minute(0, 10, 1))
	for i := range 10 {
		add(t, s, other(i))
		s.Flush(t.Context(), noon.Add(time.Duration(i)*time.Minute))
	}
	files, _ := filepath.Glob(filepath.Join(dir, "server", refusedDir, "*"))
	if len(files) != 1 || target.total != 9+10 {
		t.Fatalf("%v is set aside, %d arrived", files, target.total)
	}
	s = open(t, dir, target, 0, nil)
	if n := s.Stats()["server"].Refused; n != 1 {
		t.Errorf("another Sender knows of %d", n)
	}
	if err := os.Rename(files[0], filepath.Join(dir, "server", filepath.Base(files[0]))); err != nil {
		t.Fatal(err)
	}
	target.answer = nil
	s = open(t, dir, target, 0, nil)
	if err := s.Flush(t.Context(), noon.Add(time.Hour)); err != nil || target.total != 10+10 || s.Stats()["server"].Refused != 0 {
		t.Errorf("%d arrived, want 20; %+v, %v", target.total, s.Stats(), err)
	}
}

// TestPoisonWhole has batches that are refused as a whole. The server is asked for halves of them as often as there is any use in
// it.
func TestPoisonWhole(t *testing.T) {
	dir := t.TempDir()
	asked := 0
	target := &server{answer: func(b push.Batch) push.Outcome {
		if b.Labels["service_name"] == "other" {
			return push.Outcome{Verdict: push.Delivered}
		}
		asked++
		return push.Outcome{Verdict: push.Held}
	}}
	s := open(t, dir, target, 0, nil)
	add(t, s, minute(0, 1000, 1))
	for i := range 30 {
		add(t, s, other(i))
		before := asked
		s.Flush(t.Context(), noon.Add(time.Duration(i)*time.Minute))
		if n := asked - before; n > 2*mostAsked {
			t.Errorf("minute %d: asked %d times", i, n)
		}
	}
	if apart, samples := setAside(t, dir); apart != 1000 || samples != 1000 || target.total != 30 || s.Stats()["server"].Waiting != 0 {
		t.Errorf("%d in %d samples are set aside, %d arrived; %+v", apart, samples, target.total, s.Stats())
	}
	files, err := filepath.Glob(filepath.Join(dir, "server", refusedDir, "*.batch"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	if b, h, err := readWhole(files[0]); err != nil || b.Duration != time.Minute || h.Intervals != 1 {
		t.Errorf("%v and %d intervals are set aside, want a minute; %v", b.Duration, h.Intervals, err)
	}
}

// TestBusy has a server that takes nothing for an hour, with the answers of one that will never take a batch. Nothing may be
// divided or set aside, and everything must arrive.
func TestBusy(t *testing.T) {
	held := func(push.Batch) push.Outcome { return push.Outcome{Verdict: push.Held} }
	dir, target := t.TempDir(), &server{answer: held}
	s := open(t, dir, target, 0, nil)
	for i := range 60 {
		add(t, s, minute(i, 10, 1))
		s.Flush(t.Context(), noon.Add(time.Duration(i)*time.Minute))
	}
	target.answer = nil
	if err := s.Flush(t.Context(), noon.Add(time.Hour)); err != nil || target.total != 600 || s.Stats()["server"].Refused != 0 {
		t.Errorf("%d arrived, want 600; %+v, %v", target.total, s.Stats(), err)
	}
}

// TestPoisonSlow has one path that the server never takes, and half a minute for each request. No flush begins more of them than
// there is time for. When it is fast again, all but the path arrives.
func TestPoisonSlow(t *testing.T) {
	dir, clock, asked, took := t.TempDir(), noon, 0, mostFlush/2
	refuse := poison("{path 3:")
	target := &server{answer: func(b push.Batch) push.Outcome {
		clock, asked = clock.Add(took), asked+1
		return refuse(b)
	}}
	s := open(t, dir, target, 0, nil)
	s.queues["server"].clock = func() time.Time { return clock }
	add(t, s, minute(0, 10, 1))
	const slow = heldBefore + 3
	for i := range slow + heldBefore + mostTried {
		if i == slow {
			took = 0
		}
		before := asked
		add(t, s, other(i))
		s.Flush(t.Context(), noon.Add(time.Duration(i)*time.Minute))
		if n := asked - before; i < slow && n > 3 { // halves are two requests
			t.Errorf("minute %d: asked %d times", i, n)
		}
	}
	if apart, _ := setAside(t, dir); apart != 1 || target.total != 9+slow+heldBefore+mostTried {
		t.Errorf("%d are set aside, want 1; %d arrived; %+v", apart, target.total, s.Stats())
	}
}

// TestPoisonBehind has a server that is too slow for all that comes, and does not take one path. The path is found and set aside
// all the same, and what was in a batch with it arrives.
func TestPoisonBehind(t *testing.T) {
	dir, clock := t.TempDir(), noon
	refuse := poison("{path 3:")
	others := int64(0)
	target := &server{answer: func(b push.Batch) push.Outcome {
		clock = clock.Add(mostFlush / 8)
		if b.Labels["service_name"] == "other" {
			others++
		}
		return refuse(b)
	}}
	s := open(t, dir, target, 0, nil)
	s.queues["server"].clock = func() time.Time { return clock }
	add(t, s, minute(0, 4, 1))
	for range 20 {
		for range 10 {
			add(t, s, other(0))
		}
		if err := s.Flush(t.Context(), noon.Add(time.Minute)); err == nil {
			t.Fatal("the server is not too slow")
		}
	}
	if apart, _ := setAside(t, dir); apart != 1 || target.total != 3+others {
		t.Errorf("%d are set aside, want 1; %d arrived, want 3 and %d of others", apart, target.total, others)
	}
}

// TestPoisonForAWhile has a server that refuses a path twice as often as it takes to look for it, and then takes it.
func TestPoisonForAWhile(t *testing.T) {
	dir, target := t.TempDir(), &server{answer: poison("{path 3:")}
	s := open(t, dir, target, 0, nil)
	add(t, s, minute(0, 10, 1))
	for i := range heldBefore + mostTried - 2 {
		add(t, s, other(i))
		s.Flush(t.Context(), noon.Add(time.Duration(i)*time.Minute))
	}
	arrived := target.total
	target.answer = nil
	s.Flush(t.Context(), noon.Add(time.Hour))
	if want := int64(10 + heldBefore + mostTried - 2); arrived != want-1 || target.total != want || s.Stats()["server"].Refused != 0 {
		t.Errorf("%d arrived, and then %d, want %d; %+v", arrived, target.total, want, s.Stats())
	}
}

// TestLarge has a proxy before the server that takes small requests only.
func TestLarge(t *testing.T) {
	target := &server{answer: func(b push.Batch) push.Outcome {
		if len(b.Profile.Sample) > 30 {
			return push.Outcome{Verdict: push.Held}
		}
		return push.Outcome{Verdict: push.Delivered}
	}}
	s := open(t, t.TempDir(), target, 0, nil)
	add(t, s, minute(0, 100, 1))
	for i := range heldBefore {
		add(t, s, other(i))
		s.Flush(t.Context(), noon.Add(time.Duration(i)*time.Minute))
	}
	if want := int64(100 + heldBefore); target.total != want || s.Stats()["server"].Waiting != 0 {
		t.Errorf("%d arrived, want %d; %+v", target.total, want, s.Stats())
	}
}

// TestRefusedUnread has a file of what was set aside that cannot be read, and is not damaged. It is not replaced: what would be
// set aside next goes on waiting.
func TestRefusedUnread(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links take a privilege")
	}
	folder, target := filepath.Join(t.TempDir(), "server"), &server{answer: poison("{path 2:")}
	q, err := openQueue(folder, 1<<20, func(string) {}, quick)
	if err != nil {
		t.Fatal(err)
	}
	addPoison(t, q)
	name := filepath.Join(folder, refusedDir, q.entries[0].Key+waiting)
	if err := os.Mkdir(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(name, name); err != nil { // to itself
		t.Fatal(err)
	}
	added := 0
	for i := range heldBefore + mostTried + 1 {
		addTo(t, q, &added)
		q.flush(t.Context(), target, noon.Add(time.Duration(i)*time.Minute))
	}
	if info, err := os.Lstat(name); err != nil || info.Mode().IsRegular() || len(q.entries) != 1 || q.stats.Refused != 0 {
		t.Errorf("%v, %v; %d batches wait, %d are set aside", info, err, len(q.entries), q.stats.Refused)
	}
}

// TestPoisonKilled ends the program at each operation on files while it looks for what the server does not take, and starts it
// again.
func TestPoisonKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("stops at each operation")
	}
	for n := 1; ; n++ {
		dir, target := t.TempDir(), &server{answer: poison("{path 2:")}
		folder := filepath.Join(dir, "server")
		left := n + 1
		q, err := openQueue(folder, 1<<20, func(string) {}, dying(&left))
		if err != nil {
			t.Fatal(err)
		}
		ended, added := false, 0
		func() {
			defer func() {
				if r := recover(); r != nil && r != (killed{}) {
					panic(r)
				}
			}()
			poisonScenario(t, q, target, &added)
			ended = true
		}()
		twice := int64(0)
		if files, _ := filepath.Glob(filepath.Join(folder, "*"+sending)); len(files) > 0 {
			if last := len(target.got) - 1; last >= 0 && target.got[last].ID+sending == filepath.Base(files[0]) {
				twice = total(target.got[last])
			}
		}
		if q, err = openQueue(folder, 1<<20, func(string) {}, quick); err != nil {
			t.Fatal(err)
		}
		addPoison(t, q) // again, as an agent does after a crash
		for i := range heldBefore + mostTried {
			addTo(t, q, &added)
			q.flush(t.Context(), target, noon.Add(time.Duration(60+i)*time.Minute))
		}
		apart, _ := setAside(t, dir)
		if want := int64(4 + added); target.total != want+twice || apart != 1 {
			t.Fatalf("killed at %d: %d arrived, want %d and %d twice; %d are set aside, want 1", n, target.total, want, twice,
				apart)
		}
		if ended {
			if n < 50 {
				t.Errorf("the scenario has %d operations only", n)
			}
			return
		}
	}
}

// poisonScenario adds a batch that is not taken, and others of another service, in as many intervals as it takes.
func poisonScenario(t *testing.T, q *queue, target *server, added *int) {
	addPoison(t, q)
	for i := range heldBefore + mostTried {
		addTo(t, q, added)
		q.flush(t.Context(), target, noon.Add(time.Duration(i)*time.Minute))
	}
}

func addPoison(t *testing.T, q *queue) {
	t.Helper()
	b, err := minute(0, 5, 1).Prepare()
	if err != nil {
		t.Fatal(err)
	}
	b.Seq = 1
	q.add(b)
}

// addTo adds the next batch, or again the one that an agent would add again after a crash.
func addTo(t *testing.T, q *queue, added *int) {
	t.Helper()
	b, err := other(*added).Prepare()
	if err != nil {
		t.Fatal(err)
	}
	b.Seq = uint64(*added + 2)
	q.add(b)
	*added++
}

// TestHalvesDuration adds batches up of which the second is there in halves: two by two as where there is no room, and all at
// once. The sum is of three minutes.
func TestHalvesDuration(t *testing.T) {
	for name, sum := range map[string]func(q *queue){
		"pairs": func(q *queue) {
			for pair := q.shortest(); pair != nil; pair = q.shortest() {
				q.addUp(pair)
			}
		},
		"all": func(q *queue) { q.addUp(q.entries) },
	} {
		s := open(t, t.TempDir(), &server{}, 0, nil)
		for i := range 3 {
			add(t, s, minute(i, 4, 1))
		}
		q := s.queues["server"]
		if halves := q.halve(q.entries[1]); len(halves) != 2 || len(q.entries) != 4 {
			t.Fatalf("%s: %d halves, %d entries", name, len(halves), len(q.entries))
		}
		sum(q)
		if len(q.entries) != 1 {
			t.Fatalf("%s: %d entries", name, len(q.entries))
		}
		b, err := q.load(q.entries[0])
		if err != nil || b.Duration != 3*time.Minute || q.entries[0].Intervals != 3 || total(b) != 12 {
			t.Errorf("%s: %v, %d intervals, %d executions, %v", name, b.Duration, q.entries[0].Intervals, total(b), err)
		}
	}
}

// TestHalvesRefused sets halves of two batches aside one after the other, as where the server takes nothing for a while after the
// first. What is set aside is of two minutes, also if there are halves of halves.
func TestHalvesRefused(t *testing.T) {
	s := open(t, t.TempDir(), &server{}, 0, nil)
	add(t, s, minute(0, 4, 1))
	add(t, s, minute(1, 4, 1))
	q := s.queues["server"]
	for _, e := range slices.Clone(q.entries) {
		q.halve(q.halve(e)[0])
	}
	if len(q.entries) != 6 {
		t.Fatalf("%d entries", len(q.entries))
	}
	name := filepath.Join(q.dir, refusedDir, q.entries[0].Key+waiting)
	entries := slices.Clone(q.entries)
	for _, i := range []int{0, 3, 1, 4, 2, 5} { // by turns
		q.refuse(entries[i])
	}
	b, h, err := readWhole(name)
	if err != nil || b.Duration != 2*time.Minute || h.Intervals != 2 || total(b) != 8 {
		t.Errorf("%v, %d intervals, %d executions, %v", b.Duration, h.Intervals, total(b), err)
	}
}
