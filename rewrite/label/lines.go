package label

import (
	"bytes"
	"go/scanner"
	"go/token"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// A lexeme is a token of a source file.
type lexeme struct {
	offset int
	tok    token.Token
	end    int
	line   int // physical, like col
	col    int // in bytes, from 1

	commented bool // a comment begins behind it on its line
}

// A base is where a line directive of the user's says that what follows is from.
type base struct {
	offset    int // from here on
	line, col int // physical
	name      string
	toLine    int
	toCol     int // 0 if it does not say
}

// A layout is the tokens of a source file, and where they are said to be from.
type layout struct {
	name   string
	tokens []lexeme // without the semicolons that are not written
	bases  []base   // by offset
	starts []int    // offsets of physical lines
}

// lay reads the tokens and line directives of a file.
func lay(name string, src []byte) *layout {
	l := &layout{name: name, starts: []int{0}}
	for i, b := range src {
		if b == '\n' {
			l.starts = append(l.starts, i+1)
		}
	}
	file := token.NewFileSet().AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(file, src, nil, scanner.ScanComments)
	line := 0 // of the last token
	for {
		pos, tok, text := s.Scan()
		offset := file.Offset(pos)
		switch {
		case tok == token.EOF:
			return l
		case tok == token.COMMENT:
			l.directive(offset, len(src), text)
			if n := len(l.tokens); n > 0 && bytes.IndexByte(src[l.tokens[n-1].end:offset], '\n') < 0 {
				l.tokens[n-1].commented = true
			}
		case tok == token.SEMICOLON && text != ";":
		default:
			for line+1 < len(l.starts) && l.starts[line+1] <= offset {
				line++
			}
			end := offset + max(len(text), len(tok.String()))
			if tok.IsLiteral() || tok.IsKeyword() {
				end = offset + len(text)
			}
			col := offset - l.starts[line] + 1
			l.tokens = append(l.tokens, lexeme{offset: offset, end: end, tok: tok, line: line + 1, col: col})
		}
	}
}

// physical returns the line and the column of an offset.
func (l *layout) physical(offset int) (line, col int) {
	lo, hi := 0, len(l.starts)
	for hi-lo > 1 {
		if m := (lo + hi) / 2; l.starts[m] <= offset {
			lo = m
		} else {
			hi = m
		}
	}
	return lo + 1, offset - l.starts[lo] + 1
}

// directive notes a line directive, as the compiler understands it (cmd/compile/internal/syntax, updateBase). The compiler
// refuses those that are malformed.
func (l *layout) directive(offset, size int, comment string) {
	line, col := l.physical(offset)
	text, ok := strings.CutPrefix(comment, "/*line ")
	after := offset + len(comment)
	if ok {
		text = strings.TrimSuffix(text, "*/")
		line, col = l.physical(after)
	} else if text, ok = strings.CutPrefix(comment, "//line "); ok && col == 1 {
		text = strings.TrimSuffix(text, "\r")
		line, col = line+1, 1
		if line > len(l.starts) {
			return
		}
		after = l.starts[line-1]
	} else {
		return
	}
	b := base{offset: min(after, size), line: line, col: col}
	name, n, ok := trailingNumber(text)
	if !ok {
		return
	}
	b.toLine = n
	if rest, m, ok := trailingNumber(name); ok {
		name, b.toLine, b.toCol = rest, m, n
		if name == "" {
			name = l.last()
		}
	}
	b.name = name
	l.bases = append(l.bases, b)
}

// last returns the file that the last directive names.
func (l *layout) last() string {
	if n := len(l.bases); n > 0 {
		return l.bases[n-1].name
	}
	return l.name
}

// trailingNumber takes the number behind the last colon off a text.
func trailingNumber(text string) (before string, n int, ok bool) {
	i := strings.LastIndexByte(text, ':')
	if i < 0 {
		return "", 0, false
	}
	n, err := strconv.Atoi(text[i+1:])
	return text[:i], n, err == nil && n > 0
}

// A place is what the line tables have for an offset.
type place struct {
	name      string
	line, col int // the column is 0 if it is not known
}

// at returns where an offset is said to be.
func (l *layout) at(offset int) place {
	line, col := l.physical(offset)
	for i := len(l.bases) - 1; i >= 0; i-- {
		b := &l.bases[i]
		if b.offset > offset {
			continue
		}
		p := place{b.name, b.toLine + line - b.line, col}
		if b.toCol == 0 {
			p.col = 0
		} else if line == b.line {
			p.col = b.toCol + col - b.col
		}
		return p
	}
	return place{l.name, line, col}
}

// names returns all files that the file is said to be from.
func (l *layout) names() []string {
	names := []string{l.name}
	for _, b := range l.bases {
		names = append(names, b.name)
	}
	return names
}

// others returns the other files that the file is said to be from, each once.
func (l *layout) others() []string {
	names := l.names()[1:]
	slices.Sort(names)
	names = slices.Compact(names)
	return slices.DeleteFunc(names, func(name string) bool { return name == l.name })
}

// after returns the offset of the first token at an offset or behind it.
func (l *layout) after(offset int) int {
	i := sort.Search(len(l.tokens), func(i int) bool { return l.tokens[i].offset >= offset })
	if i == len(l.tokens) {
		return math.MaxInt
	}
	return l.tokens[i].offset
}

// before returns where the last token before an offset ends, and whether a comment follows it on its line.
func (l *layout) before(offset int) (end int, comment bool) {
	i := sort.Search(len(l.tokens), func(i int) bool { return l.tokens[i].offset >= offset }) - 1
	return l.tokens[i].end, l.tokens[i].commented
}

// mayBreak reports whether a line that ends before the token at an offset is no end of a statement, and no line ends there
// anyway.
func (l *layout) mayBreak(offset int) bool {
	i := sort.Search(len(l.tokens), func(i int) bool { return l.tokens[i].offset >= offset })
	if i == 0 || i == len(l.tokens) || l.tokens[i].offset != offset || l.tokens[i-1].line != l.tokens[i].line {
		return false
	}
	// The Go specification, "Semicolons", rule 1.
	switch l.tokens[i-1].tok {
	case token.IDENT, token.INT, token.FLOAT, token.IMAG, token.CHAR, token.STRING,
		token.BREAK, token.CONTINUE, token.FALLTHROUGH, token.RETURN,
		token.INC, token.DEC, token.RPAREN, token.RBRACK, token.RBRACE:
		return false
	}
	return true
}
