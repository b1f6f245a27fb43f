// Package progress shows on a terminal how far long work has come: in one line, which is gone when the work is
// done. Anywhere else it shows nothing. Above is for what is to stay.
package progress

import (
	"fmt"
	"os"
	"sync"
	"time"

	"golang.org/x/term"
)

// A Line is a line of a terminal. A nil Line is none, and shows nothing.
type Line struct {
	mu    sync.Mutex
	f     *os.File
	what  string
	often time.Duration
	shown time.Time // the last time; zero if nothing is there
	done  int
}

// often is how often the line changes at most: no eye needs more, and terminals are slow.
const often = 100 * time.Millisecond

// erase goes to the beginning of the line and empties it.
const erase = "\r\x1b[K"

// New returns a line of f that says what is being done, or nil if f is no terminal that has such lines.
func New(f *os.File, what string) *Line {
	if !lines(f) {
		return nil
	}
	return &Line{f: f, what: what, often: often}
}

// lines reports whether f is a terminal that has lines to go back to.
func lines(f *os.File) bool { return term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb" }

// Step says that one more of all has been done, by name.
func (l *Line) Step(all int, name string) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.done++
	if !l.shown.IsZero() && time.Since(l.shown) < l.often {
		return
	}
	l.shown = time.Now()
	fmt.Fprint(l.f, erase+l.fit(fmt.Sprintf("goprofinstr: %s: %d of %d: %s", l.what, l.done, all, name)))
}

// fit cuts text off where the terminal's line ends, for the rest of it could not be erased.
func (l *Line) fit(text string) string {
	runes := []rune(text)
	if width, _, err := term.GetSize(int(l.f.Fd())); err == nil && width > 0 && len(runes) >= width {
		runes = runes[:width-1]
	}
	return string(runes)
}

// Close erases the line.
func (l *Line) Close() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.shown.IsZero() {
		fmt.Fprint(l.f, erase)
		l.shown = time.Time{}
	}
}
