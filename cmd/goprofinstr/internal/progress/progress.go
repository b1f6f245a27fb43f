// Package progress says how far long work has come: on a terminal in one line, which changes and is gone when the work
// is done, anywhere else in a line every ten seconds. Above is for what is to stay.
package progress

import (
	"fmt"
	"os"
	"sync"
	"time"

	"golang.org/x/term"
)

// A Line is the line of a terminal, or the lines of a file. A nil Line is none, and shows nothing.
type Line struct {
	mu      sync.Mutex
	f       *os.File
	changes bool          // it is one line, of a terminal
	often   time.Duration // how often it says something at most
	now     func() time.Time
	last    time.Time // when it said something; zero if nothing is there
	done    int
}

const (
	often  = 100 * time.Millisecond // no eye needs more, and terminals are slow
	seldom = 10 * time.Second       // in a file, where lines stay
)

// erase goes to the beginning of the line and empties it.
const erase = "\r\x1b[K"

// New returns a line of f.
func New(f *os.File) *Line {
	if !lines(f) {
		return &Line{f: f, often: seldom, now: time.Now, last: time.Now()}
	}
	return &Line{f: f, changes: true, often: often, now: time.Now}
}

// Stay has lines stay from now on, for others write there.
func (l *Line) Stay() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.changes {
		l.changes, l.often, l.last = false, seldom, l.now()
	}
}

// lines reports whether f is a terminal that has lines to go back to.
func lines(f *os.File) bool { return term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb" }

// Step says that one more of all has been done, by name.
func (l *Line) Step(what string, all int, name string) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.done++
	l.say(fmt.Sprintf("%s: %d of %d: %s", what, l.done, all, name))
}

// say says something, unless it is too soon.
func (l *Line) say(text string) {
	now := l.now()
	if text == "" || !l.last.IsZero() && now.Sub(l.last) < l.often {
		return
	}
	l.last = now
	if text = "goprofinstr: " + text; l.changes {
		fmt.Fprint(l.f, erase+l.fit(text))
	} else {
		Above(l.f, text)
	}
}

// Watch says what is going on, as a function tells it once a second, until stop is called. The function returns "" if there is
// nothing to be said.
func (l *Line) Watch(what func() string) (stop func()) {
	if l == nil {
		return func() {}
	}
	ticker, end, ended := time.NewTicker(time.Second), make(chan bool), make(chan bool)
	go func() {
		defer close(ended)
		l.watch(ticker.C, end, what)
	}()
	return func() {
		ticker.Stop()
		close(end)
		<-ended
	}
}

func (l *Line) watch(ticks <-chan time.Time, end <-chan bool, what func() string) {
	for {
		select {
		case <-end:
			return
		case <-ticks:
		}
		text := what()
		l.mu.Lock()
		l.say(text)
		l.mu.Unlock()
	}
}

// fit cuts text off where the terminal's line ends, for the rest of it could not be erased.
func (l *Line) fit(text string) string {
	runes := []rune(text)
	if width, _, err := term.GetSize(int(l.f.Fd())); err == nil && width > 0 && len(runes) >= width {
		runes = runes[:width-1]
	}
	return string(runes)
}

// Close erases the line of a terminal.
func (l *Line) Close() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.changes && !l.last.IsZero() {
		fmt.Fprint(l.f, erase)
		l.last = time.Time{}
	}
}
