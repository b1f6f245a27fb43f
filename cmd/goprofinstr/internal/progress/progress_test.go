//go:build linux || darwin

package progress

import (
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
)

// onTerminal returns what work writes to a terminal of so many columns.
func onTerminal(t *testing.T, columns uint16, work func(f *os.File)) string {
	t.Helper()
	master, terminal, err := pty.Open()
	if err != nil {
		t.Skipf("no pseudo terminals: %v", err)
	}
	defer master.Close()
	if err := pty.Setsize(terminal, &pty.Winsize{Rows: 24, Cols: columns}); err != nil {
		t.Fatal(err)
	}
	written := make(chan string)
	go func() {
		b, _ := io.ReadAll(master) // ends with an error when the terminal is closed
		written <- string(b)
	}()
	work(terminal)
	terminal.Close()
	return <-written
}

func TestTerminal(t *testing.T) {
	t.Setenv("TERM", "xterm")
	got := onTerminal(t, 40, func(f *os.File) {
		l := New(f)
		l.often = time.Hour
		l.Step("rewriting", 2, "example.com/m")
		l.Step("rewriting", 2, "example.com/m/a/name/that/is/longer/than/the/line") // too soon to be shown
		l.Close()
	})
	if want := "\r\x1b[Kgoprofinstr: rewriting: 1 of 2: example\r\x1b[K"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestStay has lines stay where others write.
func TestStay(t *testing.T) {
	t.Setenv("TERM", "xterm")
	got := onTerminal(t, 80, func(f *os.File) {
		l := New(f)
		l.Step("rewriting", 1, "p")
		l.Close()
		l.Stay()
		now := l.last
		l.Step("compiling", 3, "too soon")
		l.now = func() time.Time { return now.Add(10 * time.Second) }
		l.Step("compiling", 3, "q")
		l.Close()
	})
	if want := "\r\x1b[Kgoprofinstr: rewriting: 1 of 1: p\r\x1b[K" +
		"\x1bD\x1b[A\x1b7\r\x1b[Lgoprofinstr: compiling: 3 of 3: q\x1b8\x1b[B"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestNothingToErase(t *testing.T) {
	t.Setenv("TERM", "xterm")
	if got := onTerminal(t, 80, func(f *os.File) { New(f).Close() }); got != "" {
		t.Errorf("got %q", got)
	}
}

func TestNoTerminal(t *testing.T) {
	t.Setenv("TERM", "dumb")
	if got := onTerminal(t, 80, work); got != "" {
		t.Errorf("on a dumb terminal: %q", got)
	}
	t.Setenv("TERM", "xterm")
	name := t.TempDir() + "/file"
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	work(f)
	if b, err := os.ReadFile(name); err != nil || strings.TrimSpace(string(b)) != "" {
		t.Errorf("in a file: %q, %v", b, err)
	}
}

func work(f *os.File) {
	l := New(f)
	l.Step("rewriting", 1, "example.com/m")
	l.Close()
}

// A half-written line stays whole, and the text is above it, in as many lines as it takes.
func TestAbove(t *testing.T) {
	t.Setenv("TERM", "xterm")
	got := onTerminal(t, 11, func(f *os.File) {
		f.WriteString("half ")
		Above(f, "long enough")
		f.WriteString("whole")
	})
	const before, after = "\x1bD\x1b[A\x1b7\r\x1b[L", "\x1b8\x1b[B"
	if want := "half " + before + "long enoug" + after + before + "h" + after + "whole"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	t.Setenv("TERM", "dumb")
	if got := onTerminal(t, 80, func(f *os.File) { Above(f, "text") }); got != "text\r\n" {
		t.Errorf("on a dumb terminal: %q", got)
	}
}

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
