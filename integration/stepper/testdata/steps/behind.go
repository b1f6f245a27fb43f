package steps

// Paths that begin behind a choice which nothing tells are told themselves: each way leads to their beginning.

// Last leaves the text in front of the last line that is not blank. Other lines begin with ##. Behind the inner loop a path
// begins, and nothing tells whether the line was blank (go/printer's fixGoBuildLines).
//
//go:noinline
func (l *lines) Last() {
	insert := 0
	for pos := 0; ; {
		blank := true
		for pos < len(l.text) && (l.text[pos] == ' ' || l.text[pos] == '\t') {
			pos++
		}
		if pos+1 < len(l.text) && l.text[pos] == '#' && l.text[pos+1] == '#' {
			blank = false
			for pos < len(l.text) && !isEnd(l.text[pos]) {
				pos++
			}
		}
		if pos >= len(l.text) || !isEnd(l.text[pos]) {
			break
		}
		pos++
		if blank {
			insert = pos
		}
	}
	l.text = l.text[:insert]
}

// Lines are a text.
type lines struct{ text []byte }

func isEnd(b byte) bool { return b == '\n' || b == '\f' }
