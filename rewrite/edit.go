package rewrite

import (
	"bytes"
	"go/scanner"
	"go/token"
	"math"
	"sort"
)

// edits collects insertions into one file.
type edits struct {
	file *token.File
	src  []byte
	list []insertion
}

type insertion struct {
	offset, order int
	text          string
	replaced      int // bytes at offset that the text replaces
}

// insert inserts text at pos; texts at one position stand by increasing
// order, and in the sequence of the calls where that is equal.
func (e *edits) insert(pos token.Pos, order int, text string) {
	e.list = append(e.list, insertion{offset: e.file.Offset(pos), order: order, text: text})
}

// replace puts text in place of the n bytes at pos, behind what is inserted there.
func (e *edits) replace(pos token.Pos, n int, text string) {
	e.list = append(e.list, insertion{offset: e.file.Offset(pos), order: math.MaxInt, text: text, replaced: n})
}

// text returns the source between two positions.
func (e *edits) text(from, to token.Pos) string {
	return string(e.src[e.file.Offset(from):e.file.Offset(to)])
}

// token returns where the next token of a kind is after pos, behind white space, comments and closing parentheses at most.
func (e *edits) token(pos token.Pos, want token.Token) token.Pos {
	var s scanner.Scanner
	rest := e.src[e.file.Offset(pos):]
	file := token.NewFileSet().AddFile("", -1, len(rest))
	s.Init(file, rest, nil, 0)
	for {
		at, tok, _ := s.Scan()
		switch tok {
		case want:
			return pos + token.Pos(file.Offset(at))
		case token.RPAREN: // of a value in parentheses
		default:
			panic("BUG: no " + want.String() + " but " + tok.String())
		}
	}
}

// apply returns the source with the insertions. No line of it moves.
func (e *edits) apply() []byte {
	sort.SliceStable(e.list, func(i, j int) bool {
		a, b := e.list[i], e.list[j]
		return a.offset < b.offset || a.offset == b.offset && a.order < b.order
	})
	var out bytes.Buffer
	done := 0
	for _, in := range e.list {
		out.Write(e.src[done:in.offset])
		out.WriteString(in.text)
		done = in.offset + in.replaced
	}
	out.Write(e.src[done:])
	return out.Bytes()
}
