//go:build linux || darwin

package progress

import (
	"io"
	"os"
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
		l := New(f, "rewriting")
		l.often = time.Hour
		l.Step(2, "example.com/m")
		l.Step(2, "example.com/m/a/name/that/is/longer/than/the/line") // too soon to be shown
		l.Close()
	})
	if want := "\r\x1b[Kgoprofinstr: rewriting: 1 of 2: example\r\x1b[K"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestNothingToErase(t *testing.T) {
	t.Setenv("TERM", "xterm")
	if got := onTerminal(t, 80, func(f *os.File) { New(f, "rewriting").Close() }); got != "" {
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
	l := New(f, "rewriting")
	l.Step(1, "example.com/m")
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
