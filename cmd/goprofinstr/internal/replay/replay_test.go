package replay

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/cache"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/child"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/instrument"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/results"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/toolchain"
	"github.com/goprofinstr/goprofinstr/export/profiledir"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
)

// A lab is a package with a test that reads input.txt and the variable INPUT, and what is kept of its runs.
type lab struct {
	t     *testing.T
	place Place
	store *results.Store
	env   environment
	wraps int
}

func newLab(t *testing.T) *lab {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	l := &lab{t: t, place: Place{Path: "example.com/p", Dir: dir, Root: dir}, env: environment{}}
	l.store = results.Open(&toolchain.Toolchain{})
	l.write("short", time.Hour)
	return l
}

// write writes the file that the test reads, as if it were of some age.
func (l *lab) write(text string, age time.Duration) {
	name := filepath.Join(l.place.Dir, "input.txt")
	at := time.Now().Add(-age)
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		l.t.Fatal(err)
	}
	if err := os.Chtimes(name, at, at); err != nil {
		l.t.Fatal(err)
	}
}

const log = logMagic + "getenv INPUT\nopen input.txt\n"

// begin begins a wrap with one test.
func (l *lab) begin() *Tests {
	l.wraps++
	out := &profiledir.Dir{Path: filepath.Join(l.place.Dir, "out"+strconv.Itoa(l.wraps))}
	if err := os.MkdirAll(out.Running(), 0o777); err != nil {
		l.t.Fatal(err)
	}
	h := cache.NewHash("a test")
	t := &Tests{store: l.store, out: out, env: l.env, list: []*test{{Place: l.place, pattern: "./p", key: h.Key()}}}
	h.Add("open")
	t.open = h.Key()
	return t.begin()
}

// run does what a test binary does: it leaves a run file with its identity, and the log if it has passed.
func (l *lab) run(t *Tests, passed bool) {
	l.t.Helper()
	identity, err := strconv.ParseUint(t.list[0].identity, 16, 64)
	if err != nil {
		l.t.Fatal(err)
	}
	const page = runfile.MinPage
	var b bytes.Buffer
	binary.Write(&b, binary.LittleEndian, runfile.Header{Magic: runfile.RunMagic, Version: runfile.Version, Page: page})
	b.Write(make([]byte, int(runfile.IdentityAt(page))-b.Len()))
	binary.Write(&b, binary.LittleEndian, []uint64{identity, 0})
	if passed {
		r := runfile.LogRecord{Length: uint64(len(log))}
		r.Head = runfile.Head{Magic: runfile.RecordMagic, Kind: runfile.KindLog, Size: page}
		binary.Write(&b, binary.LittleEndian, r)
		b.WriteString(log)
		b.Write(make([]byte, 2*page-b.Len()))
	}
	if err := os.WriteFile(filepath.Join(t.out.Running(), "run.1.gpi"), b.Bytes(), 0o666); err != nil {
		l.t.Fatal(err)
	}
}

// end ends a wrap, and holds the number of replayed tests against want.
func (l *lab) end(t *Tests, want int) {
	l.t.Helper()
	cached, err := t.End(child.Ending{}, false)
	if err != nil || cached != want {
		l.t.Fatalf("wrap %d: %d replayed, %v; want %d", l.wraps, cached, err, want)
	}
	runs, err := profiledir.Runs(t.out.Running())
	if err != nil || len(runs) != 1 {
		l.t.Fatalf("wrap %d: runs %q, %v", l.wraps, runs, err)
	}
}

// known says whether the wrap has the identity of an earlier run.
func (l *lab) known(t *Tests, want bool) *Tests {
	l.t.Helper()
	if got := t.list[0].earlier != nil; got != want {
		l.t.Fatalf("wrap %d has the identity of an earlier run: %t, want %t", l.wraps, got, want)
	}
	return t
}

// ran is a wrap whose test runs and passes, with an identity of its own.
func (l *lab) ran() string {
	l.t.Helper()
	t := l.known(l.begin(), false)
	l.run(t, true)
	l.end(t, 0)
	return t.list[0].identity
}

// replayed is a wrap whose test the go command does not run.
func (l *lab) replayed(identity string) {
	l.t.Helper()
	t := l.known(l.begin(), true)
	if got := t.Identities()["./p"]; got != identity {
		l.t.Fatalf("identity %s, want %s", got, identity)
	}
	l.end(t, 1)
}

func TestReplay(t *testing.T) {
	l := newLab(t)
	l.replayed(l.ran())
}

// TestVariables has wraps under variables by which run files have something else in them.
func TestVariables(t *testing.T) {
	seen := make(map[cache.Key]environment)
	for _, env := range []environment{
		{}, {"GOPROFINSTR_ARGS": "0"}, {"OTEL_SERVICE_NAME": "0"},
		{"OTEL_RESOURCE_ATTRIBUTES": "a=1"}, {"OTEL_RESOURCE_ATTRIBUTES": "a=2"},
	} {
		key := generalKey(&gocmd.Command{Verb: "test"}, &toolchain.Toolchain{}, instrument.Options{}, &profiledir.Dir{Path: "out"}, env)
		if other, ok := seen[key]; ok {
			t.Errorf("%v and %v have one key", env, other)
		}
		seen[key] = env
	}
}

// TestStates has a result for each of several states of the environment and the file.
func TestStates(t *testing.T) {
	l := newLab(t)
	first := l.ran()
	l.env["INPUT"] = ""
	second := l.ran()
	l.write("longer", 2*time.Hour)
	third := l.ran()
	l.replayed(third)
	delete(l.env, "INPUT")
	l.ran()
	if first == second || second == third {
		t.Error("two runs have one identity")
	}
}

// TestSomeStates keeps the latest results only.
func TestSomeStates(t *testing.T) {
	l := newLab(t)
	identity := make([]string, mostResults+1)
	for i := range identity {
		l.env["INPUT"] = fmt.Sprint(i)
		identity[i] = l.ran()
	}
	for i := range identity[1:] {
		l.env["INPUT"] = fmt.Sprint(i + 1)
		l.replayed(identity[i+1])
	}
	l.env["INPUT"] = "0"
	l.known(l.begin(), false)
}

func TestFailed(t *testing.T) {
	l := newLab(t)
	w := l.begin()
	l.run(w, false)
	l.end(w, 0)
	l.known(l.begin(), false)
}

// TestTooNew keeps nothing of a test that reads a file that may be written again at the same time.
func TestTooNew(t *testing.T) {
	l := newLab(t)
	l.write("now", 0)
	l.ran()
	l.known(l.begin(), false)
}

// TestRunAgain has the go command run a test with the identity of an earlier run, as after go clean -testcache: two results
// have one identity, so it is used no more.
func TestRunAgain(t *testing.T) {
	l := newLab(t)
	l.ran()
	w := l.known(l.begin(), true)
	l.run(w, true)
	l.end(w, 0)
	l.replayed(l.ran())
}

// TestKilled has a wrap killed while the go command may have run a test: nobody knows with what result.
func TestKilled(t *testing.T) {
	l := newLab(t)
	l.ran()
	l.known(l.begin(), true)
	l.replayed(l.ran())
}

// TestUnreadable has a run file that cannot be read, which may be of the test: the earlier run stands, for once.
func TestUnreadable(t *testing.T) {
	l := newLab(t)
	l.ran()
	w := l.known(l.begin(), true)
	name := filepath.Join(w.out.Running(), "run.2.gpi")
	if err := os.WriteFile(name, make([]byte, 2*runfile.MinPage), 0o666); err != nil {
		t.Fatal(err)
	}
	if cached, err := w.End(child.Ending{}, false); cached != 1 || err != nil {
		t.Fatalf("%d replayed, %v", cached, err)
	}
	l.known(l.begin(), false)
}

func TestNotReplayed(t *testing.T) {
	for _, test := range []struct {
		name     string
		ending   child.Ending
		failFast bool
		want     int
	}{
		{"interrupted", child.Ending{Exit: 1, Interrupted: true}, false, 0},
		{"an interrupt that has come too late", child.Ending{Interrupted: true}, false, 1},
		{"another test has failed, flag -failfast", child.Ending{Exit: 1}, true, 0},
		{"another test has failed", child.Ending{Exit: 1}, false, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := newLab(t)
			l.ran()
			w := l.known(l.begin(), true)
			if cached, err := w.End(test.ending, test.failFast); cached != test.want || err != nil {
				t.Errorf("%d replayed, %v; want %d", cached, err, test.want)
			}
		})
	}
}

// TestInputs has what computeTestInputsID of the go command tells apart, and what it does not.
func TestInputs(t *testing.T) {
	l := newLab(t)
	sub := filepath.Join(l.place.Dir, "sub")
	outside := filepath.Join(t.TempDir(), "outside.txt")
	for _, err := range []error{os.Mkdir(sub, 0o777), os.WriteFile(outside, nil, 0o666)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	write := func(name, text string) func() {
		return func() {
			if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
				t.Error(err)
			}
		}
	}
	in := filepath.Join(sub, "in.txt")
	for _, test := range []struct {
		log    string
		change func()
		want   bool // the hash is another
	}{
		{"getenv A\n", func() { l.env["A"] = "" }, true},
		{"getenv A\n", func() { l.env["A"] = "x" }, true},
		{"getenv A\n", func() { l.env["B"] = "x" }, false},
		{"", func() { l.env["GODEBUG"] = "" }, true},
		{"", func() { l.env["GODEBUG"] = "x=1" }, true},
		{"open sub\n", write(in, "1"), true},
		{"open sub\n", write(in, "22"), true},
		{"open sub/in.txt\n", write(in, "333"), true},
		{"chdir " + sub + "\nopen in.txt\n", write(in, "4444"), true},
		{"stat sub/none.txt\n", write(filepath.Join(sub, "none.txt"), ""), true},
		{"open " + outside + "\n", write(outside, "1"), false},
		{"stat " + outside + "\n", write(outside, "22"), false},
	} {
		before, ok := l.place.Inputs([]byte(logMagic+test.log), l.env)
		test.change()
		after, ok2 := l.place.Inputs([]byte(logMagic+test.log), l.env)
		if !ok || !ok2 || (before != after) != test.want {
			t.Errorf("%q: another hash: %t, want %t", test.log, before != after, test.want)
		}
	}
	for _, bad := range []string{"", "getenv A\n", logMagic + "getenv\n", logMagic + "remove x\n"} {
		if _, ok := l.place.Inputs([]byte(bad), l.env); ok {
			t.Errorf("%q is no log", bad)
		}
	}
}
