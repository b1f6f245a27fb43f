package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/goprofinstr/goprofinstr/examples/internal/pathtest"
)

// TestPaths compares the path counts of tokenize with those that follow from
// the shape of the settings file. Each token is one turn of the loop. Which way
// it takes depends only on where the token stands.
func TestPaths(t *testing.T) {
	run := pathtest.Wrap(t)

	src := pathtest.ReadSource(t, "main.go")
	const (
		blank = 1 << iota // there is a blank before the token
		isWord
		more // the line goes on behind the token
	)
	first := src.Line(t, "var tokens []token")
	loop := src.Line(t, "for pos := 0; pos < len(src); {")
	ret := src.Line(t, "return tokens")
	turn := func(way int) []int {
		lines := []int{loop, src.Line(t, "if src[pos] == ' ' {")}
		if way&blank != 0 {
			lines = append(lines, src.Line(t, `n := len(prefix(src[pos:], " "))`))
		}
		lines = append(lines, src.Line(t, "t := token{symbol, src[pos : pos+1], line, col}"))
		if way&isWord != 0 {
			lines = append(lines, src.Line(t, "t.kind = word"))
		}
		lines = append(lines, src.Line(t, "tokens = append(tokens, t)"))
		if way&more != 0 {
			lines = append(lines, src.Line(t, "col += len(t.text)"))
		} else {
			lines = append(lines, src.Line(t, "pos++ // the newline"))
		}
		return append(lines, loop)
	}

	const assignments = sections * (perSection - 1) // key = value
	want := map[string]int64{
		// The first token is the [ of the first heading; the other headings come round the loop.
		pathtest.Path("entry", append([]int{first}, turn(more)...), "loop"): 1,
		pathtest.Path("loop", turn(more), "loop"):                           sections - 1,

		// The name in a heading is like a key: no blank before it, and not the last.
		pathtest.Path("loop", turn(isWord|more), "loop"): sections + assignments,
		pathtest.Path("loop", turn(0), "loop"):           sections, // the ] of a heading

		pathtest.Path("loop", turn(blank|more), "loop"):   assignments, // the =
		pathtest.Path("loop", turn(blank|isWord), "loop"): assignments, // the value
		pathtest.Path("loop", turn(isWord), "loop"):       sections,    // a flag

		pathtest.Path("loop", []int{loop, ret}, "return"): 1,

		// Of blank|isWord|more, the likely side of every branch, there is none.
	}
	if diff := cmp.Diff(want, run.Paths(t, "tokenize")); diff != "" {
		t.Errorf("paths of tokenize, -want +got:\n%s", diff)
	}
	run.CheckReadme(t, want)
}
