package table

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"go/scanner"
	"go/token"
	"strings"
)

// A Sum is the SHA-256 of the code in a source file: of its words, each with its line and column. Comments are none,
// unless the compiler or goprofinstr reads them. So an edit of a comment leaves the table as it is, and runs of the same
// code add up. Nor do line ends matter, which differ between checkouts.
type Sum []byte

// SumOf returns the sum of a source file.
func SumOf(src []byte) Sum {
	file := token.NewFileSet().AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(file, src, nil, scanner.ScanComments)
	usesC := bytes.Contains(src, []byte(`"C"`)) // a comment may be code in C then
	h := sha256.New()
	var word []byte
	for {
		pos, tok, text := s.Scan()
		switch {
		case tok == token.EOF:
			return h.Sum(nil)
		case tok == token.SEMICOLON && text == "\n", tok == token.COMMENT && !usesC && !isRead(text):
			continue
		case text == "":
			text = tok.String()
		}
		at := file.PositionFor(pos, false)
		word = binary.AppendUvarint(word[:0], uint64(at.Line))
		word = binary.AppendUvarint(word, uint64(at.Column))
		word = binary.AppendUvarint(word, uint64(len(text)))
		h.Write(append(word, text...))
	}
}

// isRead reports whether a comment is a directive for the compiler or the rewriter. What is to be ignored is
// decided when profiles are read.
func isRead(comment string) bool {
	for _, prefix := range []string{"//go:", "//line ", "/*line ", "//export ", "//goprofinstr:"} {
		if strings.HasPrefix(comment, prefix) {
			return !strings.HasPrefix(comment, "//goprofinstr:ignore")
		}
	}
	return false
}

// Is reports whether a source file has the code that the sum is of. A manifest of an earlier goprofinstr has
// the SHA-256 of the file as it is.
func (s Sum) Is(src []byte) bool {
	if bytes.Equal(s, SumOf(src)) {
		return true
	}
	raw := sha256.Sum256(src)
	return bytes.Equal(s, raw[:])
}
