package spool

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/pprof/profile"

	"github.com/goprofinstr/goprofinstr/export/fleet/push"
)

var noon = time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)

// minute returns the batch of the i-th minute after noon: so many paths, each executed n times.
func minute(i int, paths int, n int64) push.Batch {
	fn := &profile.Function{ID: 1, Name: "m.F", StartLine: 1}
	p := &profile.Profile{SampleType: []*profile.ValueType{{Type: "path_execs", Unit: "count"}}, Function: []*profile.Function{fn}}
	p.Location = []*profile.Location{{ID: 1, Line: []profile.Line{{Function: fn, Line: 1}}}}
	random := rand.New(rand.NewPCG(uint64(i), 0)) // names that gzip makes little of
	for j := range paths {
		leaf := &profile.Function{ID: uint64(j + 2), Name: fmt.Sprintf("m.F {path %d: %x}", j, random.Uint64()), StartLine: 1}
		p.Function = append(p.Function, leaf)
		p.Location = append(p.Location, &profile.Location{ID: leaf.ID, Line: []profile.Line{{Function: leaf, Line: 1}}})
		p.Sample = append(p.Sample, &profile.Sample{
			Location: []*profile.Location{p.Location[j+1], p.Location[0]}, Value: []int64{n},
		})
	}
	return push.Batch{
		Name: push.Paths, Labels: map[string]string{"service_name": "checkout"}, Tables: "abc",
		Start: noon.Add(time.Duration(i) * time.Minute), Duration: time.Minute, Profile: p,
	}
}

// server is a target that adds up what it takes.
type server struct {
	mu     sync.Mutex
	answer func(push.Batch) push.Outcome // nil takes all
	total  int64
	got    []push.Batch
}

func (s *server) Push(ctx context.Context, b push.Batch) (push.Outcome, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	outcome := push.Outcome{Verdict: push.Delivered}
	if s.answer != nil {
		outcome = s.answer(b)
	}
	if outcome.Verdict != push.Delivered {
		return outcome, errors.New("not taken")
	}
	s.total += total(b)
	s.got = append(s.got, b)
	return outcome, nil
}

func (s *server) Close() {}

func total(b push.Batch) int64 {
	n := int64(0)
	for _, sample := range b.Profile.Sample {
		n += sample.Value[0]
	}
	return n
}

func down(push.Batch) push.Outcome { return push.Outcome{Verdict: push.Later} }

// lines are what a Sender tells.
type lines []string

func (l *lines) log(line string) { *l = append(*l, line) }

func open(t *testing.T, dir string, target push.Target, maxBytes int64, log func(string)) *Sender {
	t.Helper()
	s, err := Open(Config{Dir: dir, Targets: map[string]push.Target{"server": target}, MaxBytes: maxBytes, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	s.queues["server"].disk = quick
	return s
}

// quick is a disk that does not wait until what is written would survive the end of the machine, as against that of the program.
var quick = disk{
	write:  func(name string, data []byte) error { return os.WriteFile(name, data, 0o600) },
	rename: os.Rename, remove: os.Remove, sync: func(string) {},
}

func add(t *testing.T, s *Sender, b push.Batch) {
	t.Helper()
	if err := s.Add(b); err != nil {
		t.Fatal(err)
	}
}

// TestOutage has a server that is down for 90 minutes, as in the package's documentation, and a program that is started anew
// meanwhile.
func TestOutage(t *testing.T) {
	dir, target := t.TempDir(), &server{answer: down}
	s := open(t, dir, target, 0, nil)
	for i := range 90 {
		if i == 45 {
			s = open(t, dir, target, 0, nil) // the other one was killed: it is not closed
		}
		if i == 85 {
			s.queues["server"].disk = realDisk // to wait for the disk all the time would take seconds
		}
		add(t, s, minute(i, 10, 1))
		if err := s.Flush(t.Context(), noon.Add(time.Duration(i+1)*time.Minute)); err == nil {
			t.Fatal("no error while the server is down")
		}
	}
	target.answer = nil
	now := noon.Add(91 * time.Minute)
	if err := s.Flush(t.Context(), now); err != nil {
		t.Fatal(err)
	}
	if target.total != 900 {
		t.Errorf("%d executions arrived, want 900", target.total)
	}
	for _, b := range target.got {
		if age := now.Sub(b.Start); age > push.MaxAge+time.Second || age < 0 {
			t.Errorf("a batch is sent as %v old", age)
		}
	}
	if n := len(target.got); n < 29 || n > 31 {
		t.Errorf("%d requests, want one for each of the last 30 minutes, and one for the hour before", n)
	}
	if stats := s.Stats()["server"]; stats.Waiting != 0 || stats.Bytes != 0 || stats.Doubtful != 0 {
		t.Errorf("left: %+v", stats)
	}
	if files, _ := os.ReadDir(filepath.Join(dir, "server")); len(files) != 0 {
		t.Errorf("left: %v", files)
	}
}

// TestFull has less room than an outage needs: resolution is lost, evenly, and nothing else.
func TestFull(t *testing.T) {
	dir, target := t.TempDir(), &server{answer: down}
	const room = 32 << 10
	s := open(t, dir, target, room, func(line string) { t.Error(line) })
	want := int64(0)
	for i := range 100 {
		b := minute(i%5, 100, int64(i+1)) // the same paths again: sums are not much larger
		b.Start = noon.Add(time.Duration(i) * time.Minute)
		want += total(b)
		add(t, s, b)
		if stats := s.Stats()["server"]; stats.Bytes > room || stats.Intervals != i+1 {
			t.Fatalf("after %d batches: %+v", i+1, stats)
		}
	}
	longest, shortest := 0, 1000
	for _, e := range s.queues["server"].entries[:len(s.queues["server"].entries)-2] {
		longest, shortest = max(longest, e.Intervals), min(shortest, e.Intervals)
	}
	if longest > 4*shortest {
		t.Errorf("of %d to %d intervals: the resolution should be lost evenly", shortest, longest)
	}
	target.answer = nil
	if err := s.Flush(t.Context(), noon.Add(100*time.Minute)); err != nil || target.total != want {
		t.Errorf("%d executions arrived, want %d; %v", target.total, want, err)
	}
}

// TestVeryFull has less room than one batch needs: paths are added up, too.
func TestVeryFull(t *testing.T) {
	target := &server{answer: down}
	var told lines
	s := open(t, t.TempDir(), target, 4<<10, told.log)
	want := int64(0)
	for i := range 5 {
		b := minute(i, 2000, 3)
		b.Labels["zone"] = fmt.Sprint(i % 2)
		want += total(b)
		add(t, s, b)
		if n := s.Stats()["server"].Bytes; n > 4<<10 {
			t.Errorf("%d bytes", n)
		}
	}
	if len(told) != 0 {
		t.Errorf("told %q", told)
	}
	s.queues["server"].room = 1 // no room at all
	add(t, s, minute(5, 10, 1))
	add(t, s, minute(6, 10, 1))
	if len(told) != 1 || !strings.Contains(told[0], "cannot be made smaller") {
		t.Errorf("told %q", told)
	}
	target.answer = nil
	if err := s.Flush(t.Context(), noon); err != nil || target.total != want+20 {
		t.Errorf("%d executions arrived, want %d; %v", target.total, want+20, err)
	}
}

// TestKeys has batches of several services and builds, which must not be added up.
func TestKeys(t *testing.T) {
	target := &server{answer: down}
	s := open(t, t.TempDir(), target, 8<<10, nil)
	want := make(map[string]int64)
	for i := range 60 {
		b := minute(i%3, 20, int64(i))
		b.Labels["service_name"] = fmt.Sprint("service", i%2)
		b.Tables = fmt.Sprint("build", i%3)
		want[b.Labels["service_name"]+b.Tables] += total(b)
		add(t, s, b)
	}
	target.answer = nil
	if err := s.Flush(t.Context(), noon.Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	got := make(map[string]int64)
	for _, b := range target.got {
		got[b.Labels["service_name"]+b.Tables] += total(b)
	}
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestDropped has a batch that the server will never take, between others.
func TestDropped(t *testing.T) {
	target := &server{answer: func(b push.Batch) push.Outcome {
		if total(b) == 13 {
			return push.Outcome{Verdict: push.Dropped, Reason: "400 Bad Request"}
		}
		return push.Outcome{Verdict: push.Delivered}
	}}
	var told lines
	s := open(t, t.TempDir(), target, 0, told.log)
	add(t, s, minute(0, 1, 7))
	add(t, s, minute(1, 1, 13))
	add(t, s, minute(2, 1, 11))
	if err := s.Flush(t.Context(), noon.Add(3*time.Minute)); err == nil {
		t.Error("no error")
	}
	stats := s.Stats()["server"]
	if target.total != 18 || stats.Delivered != 2 || stats.Dropped["400 Bad Request"] != 1 || stats.Waiting != 0 || len(told) != 1 {
		t.Errorf("%d executions arrived; %+v; told %q", target.total, stats, told)
	}
}

// TestHeld has more batches that are not taken now than a server may hold in a row: they must not block the others for ever.
func TestHeld(t *testing.T) {
	asked := 0
	target := &server{answer: func(b push.Batch) push.Outcome {
		asked++
		if total(b) == 13 {
			return push.Outcome{Verdict: push.Held}
		}
		return push.Outcome{Verdict: push.Delivered}
	}}
	s := open(t, t.TempDir(), target, 0, nil)
	for i := range 5 {
		add(t, s, minute(i, 1, 13))
	}
	add(t, s, minute(5, 1, 11))
	for i, want := range []int{3, 3 + 6, 3 + 6 + 3} { // at the second time those come first that were not asked for, of which the last is taken
		if err := s.Flush(t.Context(), noon.Add(6*time.Minute)); err == nil || asked != want {
			t.Errorf("flush %d: asked %d times, want %d", i, asked, want)
		}
	}
	if target.total != 11 {
		t.Errorf("%d executions arrived, want 11", target.total)
	}
	target.answer = nil
	if err := s.Flush(t.Context(), noon.Add(7*time.Minute)); err != nil || target.total != 5*13+11 {
		t.Errorf("%d executions arrived, %v", target.total, err)
	}
}

// TestNothing adds a batch without samples.
func TestNothing(t *testing.T) {
	target := &server{}
	s := open(t, t.TempDir(), target, 0, nil)
	add(t, s, minute(0, 0, 0))
	if err := s.Flush(t.Context(), noon); err != nil || len(target.got) != 0 || s.Stats()["server"].Waiting != 0 {
		t.Errorf("%v, %v", err, target.got)
	}
}

// TestLater has a server that wants to be left alone for two minutes.
func TestLater(t *testing.T) {
	asked := 0
	target := &server{answer: func(push.Batch) push.Outcome {
		asked++
		return push.Outcome{Verdict: push.Later, Wait: 2 * time.Minute, Doubtful: true}
	}}
	s := open(t, t.TempDir(), target, 0, nil)
	add(t, s, minute(0, 1, 1))
	add(t, s, minute(1, 1, 1))
	for i, want := range []int{1, 1, 2, 2} { // in which minute how often it was asked
		if err := s.Flush(t.Context(), noon.Add(time.Duration(2+i)*time.Minute)); err == nil || asked != want {
			t.Errorf("minute %d: asked %d times, want %d: %v", i, asked, want, err)
		}
	}
	if err := s.Flush(t.Context(), noon.Add(-24*time.Hour)); err == nil || asked != 3 {
		t.Errorf("the clock was set back a day: asked %d times, want 3: %v", asked, err)
	}
	if n := s.Stats()["server"].Doubtful; n != 3 {
		t.Errorf("%d doubtful requests, want 3", n)
	}
}

// TestUnanswered has a server that takes batches and gives no answer. It is asked again after one interval, then after two, after
// four and so on, up to ten minutes, and after a while always for the same batch. When it answers, nothing else has come twice.
func TestUnanswered(t *testing.T) {
	taken := make(map[string]int)
	target := &server{answer: func(b push.Batch) push.Outcome {
		taken[b.ID]++
		return push.Outcome{Verdict: push.Later, Doubtful: true}
	}}
	s := open(t, t.TempDir(), target, 0, nil)
	var asked []int
	for i := range 300 {
		add(t, s, minute(i, 1, 1))
		n := s.Stats()["server"].Doubtful
		err := s.Flush(t.Context(), noon.Add(time.Duration(i)*time.Minute))
		if err == nil {
			t.Fatal("no error")
		}
		if s.Stats()["server"].Doubtful > n {
			asked = append(asked, i)
			if want := fmt.Sprintf("counted twice: %d)", n+1); !strings.Contains(err.Error(), want) {
				t.Errorf("minute %d: %v, want %q", i, err, want)
			}
		}
	}
	if want := []int{0, 1, 3, 7, 15, 25, 35, 45, 55, 65, 75}; !slices.Equal(asked[:min(len(asked), len(want))], want) {
		t.Errorf("asked in minutes %v, want %v", asked, want)
	}
	if len(taken) != 1 {
		t.Errorf("%d batches may be there, want one", len(taken))
	}
	target.answer = nil
	if err := s.Flush(t.Context(), noon.Add(400*time.Minute)); err != nil || target.total != 300 {
		t.Errorf("%d executions arrived, want 300; %v", target.total, err)
	}
	for _, b := range target.got {
		if taken[b.ID] > 0 && total(b) != 1 {
			t.Errorf("%d executions may be there twice, want 1", total(b))
		}
	}
}

// TestUnansweredLast has a server that gave no answer and is back before it is asked again. The last flush, which has a deadline,
// asks it. A server that wants to be left alone is not asked then, either.
func TestUnansweredLast(t *testing.T) {
	for _, wait := range []time.Duration{0, 10 * time.Minute} {
		target := &server{answer: func(push.Batch) push.Outcome {
			return push.Outcome{Verdict: push.Later, Wait: wait, Doubtful: true}
		}}
		s := open(t, t.TempDir(), target, 0, nil)
		add(t, s, minute(0, 1, 1))
		for _, i := range []int{0, 1, 2, 3} {
			s.Flush(t.Context(), noon.Add(time.Duration(i)*time.Minute))
		}
		target.answer = nil
		now := noon.Add(4 * time.Minute)
		if err := s.Flush(t.Context(), now); err == nil || target.total != 0 {
			t.Errorf("wait %v: the server is not left alone: %v", wait, err)
		}
		last, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if err := s.Flush(last, now); (err == nil) != (wait == 0) || (target.total == 1) != (wait == 0) {
			t.Errorf("wait %v: %d executions arrived in the last flush; %v", wait, target.total, err)
		}
	}
}

// TestUnansweredRestart starts an agent anew whose server has batches and gave no answer. Only these are there twice then,
// not the sum with others, and each request is counted once.
func TestUnansweredRestart(t *testing.T) {
	dir, target := t.TempDir(), &server{answer: func(push.Batch) push.Outcome {
		return push.Outcome{Verdict: push.Later, Doubtful: true}
	}}
	s := open(t, dir, target, 0, nil)
	add(t, s, minute(0, 1, 1))
	s.Flush(t.Context(), noon)
	add(t, s, minute(1, 1, 1))
	s = open(t, dir, target, 0, nil)
	s = open(t, dir, target, 0, nil)
	add(t, s, minute(2, 1, 1))
	if n := s.Stats()["server"].Doubtful; n != 0 {
		t.Errorf("%d doubtful requests since the start, want none", n)
	}
	target.answer = nil
	if err := s.Flush(t.Context(), noon.Add(2*time.Hour)); err != nil {
		t.Fatal(err)
	}
	var got []int64
	for _, b := range target.got {
		got = append(got, total(b))
	}
	if want := []int64{1, 2}; !slices.Equal(got, want) {
		t.Errorf("batches of %d executions arrived, want %d", got, want)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "server", "*-*")); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// TestStaleTimes has batches that a server may have, and others, all of which are too old. They stay single, and each comes with
// a time of its own, also beside one that is not too old: servers may keep one profile of a series and a millisecond.
func TestStaleTimes(t *testing.T) {
	dir, target := t.TempDir(), &server{answer: func(push.Batch) push.Outcome {
		return push.Outcome{Verdict: push.Held, Doubtful: true}
	}}
	s := open(t, dir, target, 0, nil)
	for i := range 5 {
		b := minute(i, 1, 1)
		b.Duration += time.Duration(i) * apart // intervals differ
		add(t, s, b)
		s.Flush(t.Context(), noon.Add(time.Duration(i)*time.Minute))
	}
	s = open(t, dir, target, 0, nil)
	for _, i := range []int{5, 6, 119} {
		add(t, s, minute(i, 1, 1))
	}
	add(t, s, other(0))
	target.answer = nil
	if err := s.Flush(t.Context(), noon.Add(2*time.Hour)); err != nil {
		t.Fatal(err)
	}
	times := make(map[string]bool)
	for _, b := range target.got {
		times[fmt.Sprint(b.Labels, b.Start.UnixMilli())] = true
	}
	if len(target.got) < 5 || len(times) != len(target.got) {
		t.Errorf("%d batches arrived, at %d times", len(target.got), len(times))
	}
}

// TestAnswered has a server that holds the batches, though a part of it may have them. It answers, and is asked each minute.
func TestAnswered(t *testing.T) {
	asked := 0
	target := &server{answer: func(push.Batch) push.Outcome {
		asked++
		return push.Outcome{Verdict: push.Held, Doubtful: true}
	}}
	s := open(t, t.TempDir(), target, 0, nil)
	add(t, s, minute(0, 1, 1))
	for i := range 10 {
		if err := s.Flush(t.Context(), noon.Add(time.Duration(i)*time.Minute)); err == nil || asked != i+1 {
			t.Errorf("minute %d: asked %d times, want %d: %v", i, asked, i+1, err)
		}
	}
}

// TestSlow has a server that takes half a minute for each request, and so some of them in a flush. The others are sent later, and
// none of them is doubtful.
func TestSlow(t *testing.T) {
	clock := noon
	target := &server{answer: func(push.Batch) push.Outcome {
		clock = clock.Add(mostFlush / 2)
		return push.Outcome{Verdict: push.Delivered}
	}}
	s := open(t, t.TempDir(), target, 0, nil)
	s.queues["server"].clock = func() time.Time { return clock }
	for i := range 5 {
		add(t, s, minute(i, 1, 1))
	}
	for i, want := range []int64{2, 4, 5} {
		if err := s.Flush(t.Context(), noon.Add(5*time.Minute)); (err == nil) != (want == 5) || target.total != want {
			t.Errorf("flush %d: %d executions arrived, want %d; %v", i, target.total, want, err)
		}
	}
	if n := s.Stats()["server"].Doubtful; n != 0 {
		t.Errorf("%d doubtful requests", n)
	}
}

// TestSlowUnheld has a slow server that holds nothing, or once. Requests are begun for a whole minute: no halves need time.
func TestSlowUnheld(t *testing.T) {
	clock, hold := noon, true
	target := &server{answer: func(b push.Batch) push.Outcome {
		clock = clock.Add(mostFlush / 8)
		if hold && b.Labels["service_name"] == "other" {
			return push.Outcome{Verdict: push.Held}
		}
		return push.Outcome{Verdict: push.Delivered}
	}}
	s := open(t, t.TempDir(), target, 0, nil)
	s.queues["server"].clock = func() time.Time { return clock }
	add(t, s, other(0))
	for i := range 20 {
		add(t, s, minute(i, 1, 1))
	}
	for i, want := range []int64{7, 7 + 8} { // and the one that is held, which has its turn then
		if err := s.Flush(t.Context(), noon.Add(20*time.Minute)); err == nil || target.total != want {
			t.Errorf("flush %d: %d executions arrived, want %d; %v", i, target.total, want, err)
		}
		hold = false
	}
}

// TestSameID sends a batch again: it is the same one, and a server could know.
func TestSameID(t *testing.T) {
	dir := t.TempDir()
	var ids []string
	target := &server{answer: func(b push.Batch) push.Outcome { ids = append(ids, b.ID); return down(b) }}
	s := open(t, dir, target, 0, nil)
	add(t, s, minute(0, 1, 1))
	s.Flush(t.Context(), noon)
	s = open(t, dir, target, 0, nil)
	s.Flush(t.Context(), noon)
	if len(ids) != 2 || ids[0] != ids[1] || ids[0] == "" {
		t.Errorf("ids %q", ids)
	}
}

// TestSeq adds batches again, as an agent does after a crash.
func TestSeq(t *testing.T) {
	dir, target := t.TempDir(), &server{}
	s := open(t, dir, target, 0, nil)
	numbered := func(seq uint64) push.Batch {
		b := minute(int(seq), 1, 1)
		b.Seq = seq
		return b
	}
	add(t, s, numbered(1))
	add(t, s, numbered(2))
	s = open(t, dir, target, 0, nil)
	add(t, s, numbered(2)) // waits on disk
	if err := s.Flush(t.Context(), noon.Add(2*time.Minute)); err != nil || target.total != 2 {
		t.Errorf("%d executions arrived, want 2: %v", target.total, err)
	}
	s = open(t, dir, target, 0, nil)
	add(t, s, numbered(2)) // was delivered
	add(t, s, numbered(3))
	if err := s.Flush(t.Context(), noon.Add(2*time.Minute)); err != nil || target.total != 3 {
		t.Errorf("%d executions arrived, want 3: %v", target.total, err)
	}
}

// TestDamaged damages files in all ways that end in an error, and looks for the others.
func TestDamaged(t *testing.T) {
	for name, damage := range map[string]func([]byte) []byte{
		"empty":         func([]byte) []byte { return nil },
		"cut off":       func(b []byte) []byte { return b[:len(b)/2] },
		"without end":   func(b []byte) []byte { return b[:len(b)-1] },
		"another value": func(b []byte) []byte { b[len(b)-6] ^= 1; return b }, // the checksum
		"no gzip":       func([]byte) []byte { return []byte("goprofinstr spool 1\n{}\n") },
	} {
		dir, target := t.TempDir(), &server{}
		var told lines
		s := open(t, dir, target, 0, nil)
		add(t, s, minute(0, 100, 1))
		add(t, s, minute(1, 100, 1))
		files, err := filepath.Glob(filepath.Join(dir, "server", "*.batch"))
		if err != nil || len(files) != 2 {
			t.Fatal(files, err)
		}
		text, err := os.ReadFile(files[0])
		if err == nil {
			err = os.WriteFile(files[0], damage(text), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		s = open(t, dir, target, 0, told.log)
		s.Flush(t.Context(), noon.Add(2*time.Minute))
		if stats := s.Stats()["server"]; target.total != 100 || stats.Damaged != 1 || stats.Waiting != 0 || len(told) != 1 {
			t.Errorf("%s: %d executions arrived, %+v, told %q", name, target.total, stats, told)
		}
		kept, _ := filepath.Glob(filepath.Join(dir, "server", "*.damaged"))
		if len(kept) != 1 || !strings.Contains(strings.Join(told, ""), kept[0]) {
			t.Errorf("%s: the file is not set aside, or not where was told: %q, told %q", name, kept, told)
		}
	}
}

// TestUnreadable has a file that cannot be read for a while, and may be whole: a folder is in its place. Others are sent, and
// when it can be read again, it is too.
func TestUnreadable(t *testing.T) {
	target := &server{}
	s := open(t, t.TempDir(), target, 0, nil)
	for i := range 3 {
		add(t, s, minute(i, 10, 1))
	}
	q := s.queues["server"]
	name := q.file(q.entries[0])
	if err := errors.Join(os.Rename(name, name+".away"), os.Mkdir(name, 0o700)); err != nil {
		t.Fatal(err)
	}
	q.room = 1 // where nothing can be done about it
	q.shrink()
	q.room = 1 << 20
	now := noon.Add(5 * time.Minute)
	for i, want := range []int64{0, 20} {
		if err := s.Flush(t.Context(), now); err == nil || target.total != want {
			t.Errorf("flush %d: %d executions arrived, want %d and an error: %v", i, target.total, want, err)
		}
	}
	if err := errors.Join(os.Remove(name), os.Rename(name+".away", name)); err != nil {
		t.Fatal(err)
	}
	if err := s.Flush(t.Context(), now); err != nil || target.total != 30 || q.stats.Damaged != 0 {
		t.Errorf("%d executions arrived, want 30; %+v, %v", target.total, q.stats, err)
	}
}

// TestDamagedSum damages a file that is then added up with another one.
func TestDamagedSum(t *testing.T) {
	dir, target := t.TempDir(), &server{}
	s := open(t, dir, target, 0, nil)
	for i := range 3 {
		add(t, s, minute(i, 10, 1))
	}
	q := s.queues["server"]
	if err := os.Truncate(q.file(q.entries[1]), 20); err != nil {
		t.Fatal(err)
	}
	if err := s.Flush(t.Context(), noon.Add(5*time.Hour)); err != nil || target.total != 20 || q.stats.Damaged != 1 {
		t.Errorf("%d executions arrived, %+v, %v", target.total, q.stats, err)
	}
}

// TestDiskFull has a disk without room for a while.
func TestDiskFull(t *testing.T) {
	dir, target := t.TempDir(), &server{answer: down}
	var told lines
	s := open(t, dir, target, 0, told.log)
	q := s.queues["server"]
	add(t, s, minute(0, 10, 1))
	q.disk.write = func(name string, data []byte) error {
		os.WriteFile(name, data[:len(data)/2], 0o600)
		return syscall.ENOSPC
	}
	for i := range 20 {
		add(t, s, minute(1+i, 10, 1))
		s.Flush(t.Context(), noon.Add(time.Duration(2+i)*time.Minute))
	}
	if stats := s.Stats()["server"]; stats.Waiting != 2 || stats.InMemory != 1 || stats.Intervals != 21 {
		t.Errorf("full: %+v", stats)
	}
	if len(told) != 1 || !strings.Contains(told[0], "kept in memory") {
		t.Errorf("told %q", told)
	}
	if err := s.Close(); err == nil {
		t.Error("counts would be lost, and Close says nothing")
	}
	q.disk = quick
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "server", "*.tmp")); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
	target.answer = nil
	s = open(t, dir, target, 0, nil)
	if err := s.Flush(t.Context(), noon.Add(25*time.Minute)); err != nil || target.total != 210 {
		t.Errorf("%d executions arrived, want 210: %v", target.total, err)
	}
}

// TestDiskFullSent sends from memory what the disk has no room for.
func TestDiskFullSent(t *testing.T) {
	target := &server{}
	s := open(t, t.TempDir(), target, 0, nil)
	s.queues["server"].disk.write = func(string, []byte) error { return syscall.ENOSPC }
	add(t, s, minute(0, 10, 1))
	if err := s.Flush(t.Context(), noon.Add(time.Minute)); err != nil || target.total != 10 {
		t.Errorf("%d executions arrived, want 10: %v", target.total, err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// TestDiskFullAgain sends a batch from memory, since a batch is too large for the disk, and another one is not taken. After the
// next start the former is not sent again, and the latter is taken anew.
func TestDiskFullAgain(t *testing.T) {
	for _, refused := range []string{"", push.Calls} {
		dir := t.TempDir()
		target := &server{answer: func(b push.Batch) push.Outcome {
			if b.Name == refused {
				return push.Outcome{Verdict: push.Held}
			}
			return push.Outcome{Verdict: push.Delivered}
		}}
		s := open(t, dir, target, 0, nil)
		s.queues["server"].disk.write = func(name string, data []byte) error {
			if strings.Contains(name, waiting) {
				return syscall.ENOSPC
			}
			return quick.write(name, data)
		}
		calls, paths := minute(0, 10, 1), minute(0, 10, 1)
		calls.Name, calls.Seq, paths.Seq = push.Calls, 1, 2
		add(t, s, calls)
		add(t, s, paths)
		s.Flush(t.Context(), noon.Add(time.Minute))
		target.answer = nil
		s = open(t, dir, target, 0, nil)
		add(t, s, calls)
		add(t, s, paths)
		if err := s.Flush(t.Context(), noon.Add(2*time.Minute)); err != nil {
			t.Error(err)
		}
		got := make(map[string]int64)
		for _, b := range target.got {
			got[b.Name] += total(b)
		}
		want := map[string]int64{push.Calls: 10, push.Paths: 10}
		if refused != "" {
			want[push.Paths] = 20 // nothing is noted before what comes first
		}
		if !maps.Equal(got, want) {
			t.Errorf("refused %q: %v arrived, want %v", refused, got, want)
		}
	}
}

// TestDuringPush adds batches while one is being sent, with so little room that all others are added up.
func TestDuringPush(t *testing.T) {
	target := &server{}
	s := open(t, t.TempDir(), target, 3<<10, nil)
	added := 0
	target.answer = func(push.Batch) push.Outcome {
		for range 5 {
			added++
			add(t, s, minute(added, 20, 1))
		}
		return push.Outcome{Verdict: push.Delivered}
	}
	add(t, s, minute(0, 20, 1))
	s.Flush(t.Context(), noon.Add(time.Minute))
	target.answer = nil
	if err := s.Flush(t.Context(), noon.Add(time.Minute)); err != nil || target.total != int64(added+1)*20 {
		t.Errorf("%d executions arrived, want %d: %v", target.total, (added+1)*20, err)
	}
}

// TestTargets has one server that is down, and one that is not.
func TestTargets(t *testing.T) {
	up, gone := &server{}, &server{answer: down}
	s, err := Open(Config{Dir: t.TempDir(), Targets: map[string]push.Target{"up": up, "gone": gone}})
	if err != nil {
		t.Fatal(err)
	}
	add(t, s, minute(0, 10, 1))
	err = s.Flush(t.Context(), noon.Add(time.Minute))
	if err == nil || !strings.HasPrefix(err.Error(), "gone: ") || up.total != 10 || s.Stats()["gone"].Waiting != 1 || s.Stats()["up"].Waiting != 0 {
		t.Errorf("%v, %+v", err, s.Stats())
	}
	if _, err := Open(Config{Dir: t.TempDir(), Targets: map[string]push.Target{"../up": up}}); err == nil {
		t.Error("a target may be called ../up")
	}
	if err := s.Add(push.Batch{Name: "cpu"}); err == nil {
		t.Error("a batch that is a mistake was taken")
	}
}

// killed is the end of a program, in the middle of something.
type killed struct{}

// dying returns a disk that ends the program at the n-th operation, before or after it is done, or in the middle of writing.
func dying(n *int) disk {
	step := func(whole, half func() error) error {
		*n--
		switch *n {
		case 1:
			half()
			panic(killed{})
		case 0:
			whole()
			panic(killed{})
		}
		return whole()
	}
	nothing := func() error { return nil }
	return disk{
		write: func(name string, data []byte) error {
			return step(func() error { return os.WriteFile(name, data, 0o600) }, func() error { return os.WriteFile(name, data[:len(data)/2], 0o600) })
		},
		rename: func(from, to string) error { return step(func() error { return os.Rename(from, to) }, nothing) },
		remove: func(name string) error { return step(func() error { return os.Remove(name) }, nothing) },
		sync:   func(string) {},
	}
}

// TestKilled ends the program at each operation of a scenario, once before it and once after it, and starts it again. Nothing
// is lost, and nothing is there twice but the one batch that was being sent, which is counted.
func TestKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("stops at each operation")
	}
	for n := 1; ; n++ {
		dir, target := t.TempDir(), &server{}
		left := n + 1
		added, ended := 0, false
		q := openDying(t, dir, &left)
		func() {
			defer func() {
				if r := recover(); r != nil && r != (killed{}) {
					panic(r)
				}
			}()
			scenario(t, q, target, &added)
			ended = true
		}()
		restart(t, n, dir, target, added)
		if ended {
			if n < 50 {
				t.Errorf("the scenario has %d operations only", n)
			}
			return
		}
	}
}

func openDying(t *testing.T, dir string, left *int) *queue {
	t.Helper()
	q, err := openQueue(dir, 2<<10, func(line string) { t.Error(line) }, dying(left))
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// scenario adds batches, more than there is room for, sends some, and all after a time in which they get stale. It notes before
// each Add how many batches an agent would add again after a crash.
func scenario(t *testing.T, q *queue, target *server, added *int) {
	for i := range 12 {
		b, err := minute(i, 10, 1).Prepare()
		if err != nil {
			t.Fatal(err)
		}
		b.Seq = uint64(i + 1)
		*added = i + 1
		q.add(b)
		if i == 4 {
			q.flush(context.Background(), target, noon.Add(5*time.Minute))
		}
	}
	q.flush(context.Background(), target, noon.Add(5*time.Hour))
}

// restart starts a program that was killed again, adds the last batch again, and sends all.
func restart(t *testing.T, n int, dir string, target *server, added int) {
	t.Helper()
	twice, inFlight := int64(0), 0
	if files, _ := filepath.Glob(filepath.Join(dir, "*"+sending)); len(files) > 0 {
		inFlight = len(files)
		if last := len(target.got) - 1; last >= 0 && target.got[last].ID+sending == filepath.Base(files[0]) {
			twice = total(target.got[last]) // it arrived, and the program ended before it had noted that
		}
	}
	q, err := openQueue(dir, 2<<10, func(line string) { t.Error(line) }, quick)
	if err != nil {
		t.Fatal(err)
	}
	b, err := minute(added-1, 10, 1).Prepare()
	if err != nil {
		t.Fatal(err)
	}
	b.Seq = uint64(added)
	q.add(b)
	if err := q.flush(t.Context(), target, noon.Add(6*time.Hour)); err != nil {
		t.Fatal(err)
	}
	if want := int64(10 * added); target.total != want+twice {
		t.Errorf("killed at %d: %d executions arrived, want %d and %d twice", n, target.total, want, twice)
	}
	if inFlight > 1 || q.stats.Doubtful != inFlight {
		t.Errorf("killed at %d: %d doubtful requests, want %d", n, q.stats.Doubtful, inFlight)
	}
	if names, _ := filepath.Glob(filepath.Join(dir, "*")); len(names) != 1 || filepath.Base(names[0]) != lastFile {
		t.Errorf("killed at %d: %v are left", n, names)
	}
}
