package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A meter charges CPU time to the test that runs, as the test binary says with -test.v=test2json.
type meter struct {
	read    func() time.Duration // what the test binary has used so far
	until   time.Duration        // what is charged
	running string               // "" outside of tests
	used    map[string]time.Duration
}

// marker is what begins a line of package testing, which may stand behind text of a test.
const marker = "\x16"

// follow reads what the test binary prints to its end, and returns it.
func (m *meter) follow(out io.Reader) (said []byte, err error) {
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadBytes('\n')
		said = append(said, bytes.ReplaceAll(line, []byte(marker), nil)...)
		if _, event, ok := strings.Cut(string(line), marker); ok {
			m.event(event)
		}
		if err == io.EOF {
			return said, nil
		}
		if err != nil {
			return said, err
		}
	}
}

// event is what happens when a test begins, goes on or ends.
func (m *meter) event(line string) {
	fields := strings.Fields(line)
	if len(fields) < 3 {
		return
	}
	switch fields[0] + " " + fields[1] {
	case "=== RUN", "=== CONT", "=== NAME":
		m.charge(m.read(), fields[2])
	case "=== PAUSE", "--- PASS:", "--- FAIL:", "--- SKIP:":
		above, _, _ := cutLast(fields[2], "/")
		m.charge(m.read(), above)
	}
}

// charge charges what has been used since the last call to the test that was running, and has another run.
func (m *meter) charge(until time.Duration, next string) {
	if until > m.until { // or the process has ended
		m.used[m.running] += until - m.until
		m.until = until
	}
	m.running = next
}

// cutLast is strings.Cut for the last separator; without one nothing is before it.
func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return "", s, false
}

// write writes what is charged into a new file of a folder. The package is the folder that its tests run in.
func (m *meter) write(folder string) error {
	pkg, err := os.Getwd()
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(folder, "*"+filepath.Base(pkg)+".costs")
	if err != nil {
		return err
	}
	for _, test := range slices.Sorted(maps.Keys(m.used)) {
		fmt.Fprintf(f, "%.2f\t%s\t%s\n", m.used[test].Seconds(), pkg, test)
	}
	return f.Close()
}
