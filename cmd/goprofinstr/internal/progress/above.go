package progress

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/term"
)

// Above writes a line of text. On a terminal that is above the line on which the cursor is, which may be half
// written: go test has the name of a benchmark there while it runs. What others write goes on where it was.
func Above(f *os.File, text string) {
	columns := 0
	if lines(f) {
		columns, _, _ = term.GetSize(int(f.Fd()))
	}
	if columns <= 1 {
		fmt.Fprintln(f, text)
		return
	}
	var b strings.Builder
	for _, line := range broken(text, columns-1) {
		fmt.Fprintf(&b, insertLine, line)
	}
	fmt.Fprint(f, b.String()) // at once, for others write, too
}

// insertLine makes a line above that of the cursor: down, so that the terminal scrolls if that is the last one, and
// up again; save the cursor; to the beginning; insert a line and write it; back to the column, and down to where
// the cursor's line is now.
const insertLine = "\x1bD\x1b[A\x1b7\r\x1b[L%s\x1b8\x1b[B"

// broken breaks text into pieces of at most n characters. Where a terminal breaks a line it has no second one to be
// inserted.
func broken(text string, n int) (lines []string) {
	runes := []rune(text)
	for len(runes) > n {
		lines, runes = append(lines, string(runes[:n])), runes[n:]
	}
	return append(lines, string(runes))
}
