package coverage

import (
	"cmp"
	"go/scanner"
	"go/token"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/export/coverprofile"
)

// A place is where something is in a file, both counted from 1, columns in bytes.
type place struct{ line, col int }

func (p place) compare(q place) int {
	return cmp.Or(cmp.Compare(p.line, q.line), cmp.Compare(p.col, q.col))
}

func start(e *coverprofile.Extent) place { return place{e.StartLine, e.StartCol} }
func end(e *coverprofile.Extent) place   { return place{e.EndLine, e.EndCol} }

// lines returns the lines on which each extent has code, by its index.
func lines(s *coverprofile.Source) [][]int {
	order := make([]int, len(s.Extents))
	for i := range order {
		order[i] = i
	}
	real := func(i int) *coverprofile.Extent { return &s.Extents[i].Real }
	slices.SortStableFunc(order, func(a, b int) int { return start(real(a)).compare(start(real(b))) })
	has := make([][]int, len(s.Extents))
	eachToken(s.Text, func(at place, lines int) {
		next, _ := slices.BinarySearchFunc(order, at, func(i int, at place) int {
			if start(real(i)).compare(at) <= 0 {
				return -1
			}
			return 1
		})
		i := around(order[:next], real, at)
		if i < 0 {
			return
		}
		for n := range lines {
			if l := at.line + n; len(has[i]) == 0 || has[i][len(has[i])-1] != l {
				has[i] = append(has[i], l)
			}
		}
	})
	return has
}

// mostAround is how many extents are looked at that begin before a token, the nearest first: hardly any is within another.
const mostAround = 100

// around returns the innermost extent around a place among those that begin before it, -1 if there is none.
func around(before []int, real func(i int) *coverprofile.Extent, at place) int {
	for _, i := range slices.Backward(before[max(0, len(before)-mostAround):]) {
		if at.compare(end(real(i))) < 0 {
			return i
		}
	}
	return -1
}

// silent are tokens that are no code by themselves: a line with nothing else has nothing to be executed.
var silent = map[token.Token]bool{
	token.COMMENT: true, token.SEMICOLON: true, token.COMMA: true, token.ELSE: true,
	token.LBRACE: true, token.RBRACE: true, token.RPAREN: true, token.RBRACK: true,
}

// eachToken calls do for the tokens of a file that are code, with how many lines they go over.
func eachToken(text []byte, do func(at place, lines int)) {
	file := token.NewFileSet().AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, 0)
	for {
		pos, tok, literal := s.Scan()
		if tok == token.EOF {
			return
		}
		if silent[tok] {
			continue
		}
		p := file.PositionFor(pos, false)
		do(place{p.Line, p.Column}, 1+strings.Count(literal, "\n"))
	}
}
