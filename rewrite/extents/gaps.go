package extents

import (
	"cmp"
	"go/ast"
	"go/scanner"
	"go/token"
	"slices"
)

// What go1.27 does besides: lines without code are in no extent.

// A span is a part of a file.
type span struct{ pos, end token.Pos }

// codeRanges returns the parts of a block without lines that are blank, or have comments or braces only. A block without
// code has one that is empty.
func (f *file) codeRanges(start, end token.Pos) (ranges []span) {
	offset := f.tokens.Offset(start)
	src := f.src[offset:f.tokens.Offset(end)]
	scanned := token.NewFileSet().AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(scanned, src, nil, 0)
	original := func(pos token.Pos) token.Pos { return f.tokens.Pos(offset + scanned.Offset(pos)) }
	lineOf := func(pos token.Pos) int { return scanned.PositionFor(pos, false).Line }
	from, last := token.NoPos, 0 // where the range starts, and the last line with code
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			break
		}
		if tok == token.LBRACE || tok == token.RBRACE || tok == token.SEMICOLON && lit == "\n" {
			continue
		}
		line := lineOf(pos)
		switch {
		case last == 0:
			from = original(pos)
		case line > last+1:
			ranges = append(ranges, span{from, original(scanned.LineStart(last + 1))})
			from = original(pos)
		}
		if tok == token.STRING { // may span lines
			line = lineOf(pos + token.Pos(len(lit)))
		}
		last = max(last, line)
	}
	switch {
	case last == 0:
		return []span{{start, start}}
	case last < scanned.LineCount():
		end = original(scanned.LineStart(last + 1))
	}
	return append(ranges, span{from, end})
}

// mergeRangesWithinStatements joins ranges with those before where they start inside of a statement, as in a const ( … ).
func mergeRangesWithinStatements(ranges []span, list []ast.Stmt) []span {
	merged := ranges[:1:1]
	for _, r := range ranges[1:] {
		if insideStatement(r.pos, list) {
			merged[len(merged)-1].end = r.end
		} else {
			merged = append(merged, r)
		}
	}
	return merged
}

// insideStatement reports whether a position is in one of some statements, and not at its start.
func insideStatement(pos token.Pos, list []ast.Stmt) bool {
	i, _ := slices.BinarySearchFunc(list, pos, func(s ast.Stmt, p token.Pos) int { return cmp.Compare(s.Pos(), p) })
	return i > 0 && pos < list[i-1].End()
}
