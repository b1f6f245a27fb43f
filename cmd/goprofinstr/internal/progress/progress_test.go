//go:build linux || darwin

package progress

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"
)

// TestSeldom has lines in a file, ten seconds apart.
func TestSeldom(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	l := New(f)
	start := l.last
	for _, at := range []time.Duration{9, 10, 11, 19, 20, 45, 54, 55} {
		l.now = func() time.Time { return start.Add(at * time.Second) }
		l.Step("rewriting", 8, "p"+strconv.Itoa(int(at)))
	}
	l.Close()
	got, err := os.ReadFile(f.Name())
	want := "goprofinstr: rewriting: 2 of 8: p10\n" +
		"goprofinstr: rewriting: 5 of 8: p20\ngoprofinstr: rewriting: 6 of 8: p45\ngoprofinstr: rewriting: 8 of 8: p55\n"
	if err != nil || string(got) != want {
		t.Errorf("got\n%s%v, want\n%s", got, err, want)
	}
}

// TestWatch says what is to be said at each tick, if there is anything.
func TestWatch(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	l := New(f)
	l.often = 0
	ticks, end := make(chan time.Time), make(chan bool)
	texts := []string{"one", "", "two"}
	said := func() (text string) {
		text, texts = texts[0], texts[1:]
		return text
	}
	ended := make(chan bool)
	go func() {
		l.watch(ticks, end, said)
		close(ended)
	}()
	for range len(texts) {
		ticks <- time.Time{}
	}
	close(end)
	<-ended
	if got, err := os.ReadFile(f.Name()); err != nil || string(got) != "goprofinstr: one\ngoprofinstr: two\n" {
		t.Errorf("%q, %v", got, err)
	}
}

// TestBuilding is about processes of go commands, and not of what tests start.
func TestBuilding(t *testing.T) {
	work := filepath.Join(t.TempDir(), "go-build7")
	for _, dir := range []string{"b001", "b002", "b003"} {
		if err := os.MkdirAll(filepath.Join(work, dir), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{"b001", "b002"} {
		if err := os.WriteFile(filepath.Join(work, dir, "_pkg_.a"), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	self := os.Getpid()
	const tools = "/go/pkg/tool/linux_amd64/"
	all := []process{
		{self + 1, self, []string{"/go/bin/go", "test"}},
		{self + 2, self + 1, []string{tools + "compile", "-o", work + "/b003/_pkg_.a", "-p", "net/http"}},
		{self + 10, self + 1, []string{tools + "compile", "-o", work + "/b004/_pkg_.a", "-p", "net"}},
		{self + 3, self + 1, []string{"goprofinstr", "toolexec", tools + "link"}},
		{self + 4, self + 3, []string{tools + "link", "-o", work + "/b001/p.test"}},
		{self + 5, self + 1, []string{"/tmp/p.test", "-test.v"}},
		{self + 6, self + 5, []string{"go", "build"}},
		{self + 7, self + 6, []string{tools + "compile", "-p", "of/the/test"}},
		{self + 8, 1, []string{tools + "compile", "-p", "of/others"}},
		{self + 9, self + 1, []string{""}},
	}
	if got, want := building(all), "compiling net, net/http, linking p.test (2 packages so far)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := building(all[5:]); got != "" {
		t.Errorf("got %q", got)
	}
	listing := process{self + 11, self, []string{"go", "list", "-e"}}
	if got := building(append(all[5:], listing)); got != "listing packages" {
		t.Errorf("got %q", got)
	}
	if runtime.GOOS == "linux" && !slices.ContainsFunc(processes(), func(p process) bool { return p.pid == self && p.parent == os.Getppid() }) {
		t.Error("this process is not found")
	}
}
