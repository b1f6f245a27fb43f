package mark

import (
	"go/scanner"
	"go/token"
)

// Gaps are the tokens of a file that start a line and have lines without code before it. Such lines
// are blank, or hold comments or braces only. From go1.27 on, Go's cover starts a block at a statement
// that begins with such a token.
type Gaps map[token.Pos]bool

// Add finds the gaps in a file with the given source. It is the scan of codeRanges in Go's cmd/cover.
func (g Gaps) Add(file *token.File, src []byte) {
	var s scanner.Scanner
	scanned := token.NewFileSet().AddFile("", -1, len(src))
	s.Init(scanned, src, nil, 0)
	lastCode := 0 // line
	for {
		pos, tok, lit := s.Scan()
		switch {
		case tok == token.EOF:
			return
		case tok == token.LBRACE, tok == token.RBRACE, tok == token.SEMICOLON && lit == "\n":
			continue
		}
		line := scanned.PositionFor(pos, false).Line
		if line > lastCode+1 {
			g[file.Pos(scanned.Offset(pos))] = true
		}
		if tok == token.STRING { // may span lines
			line = scanned.PositionFor(pos+token.Pos(len(lit)), false).Line
		}
		lastCode = max(lastCode, line)
	}
}
