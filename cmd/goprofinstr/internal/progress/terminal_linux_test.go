package progress

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/ptytest"
)

func TestTerminal(t *testing.T) {
	t.Setenv("TERM", "xterm")
	got := ptytest.Written(t, 40, func(f *os.File) {
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
	got := ptytest.Written(t, 80, func(f *os.File) {
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
	if got := ptytest.Written(t, 80, func(f *os.File) { New(f).Close() }); got != "" {
		t.Errorf("got %q", got)
	}
}

func TestNoTerminal(t *testing.T) {
	t.Setenv("TERM", "dumb")
	if got := ptytest.Written(t, 80, work); got != "" {
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
	got := ptytest.Written(t, 11, func(f *os.File) {
		f.WriteString("half ")
		Above(f, "long enough")
		f.WriteString("whole")
	})
	const before, after = "\x1bD\x1b[A\x1b7\r\x1b[L", "\x1b8\x1b[B"
	if want := "half " + before + "long enoug" + after + before + "h" + after + "whole"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	t.Setenv("TERM", "dumb")
	if got := ptytest.Written(t, 80, func(f *os.File) { Above(f, "text") }); got != "text\r\n" {
		t.Errorf("on a dumb terminal: %q", got)
	}
}
