// Tokenizer splits a settings file of key = value lines into tokens and prints
// how many of each kind there are.
//
// Its main loop takes three decisions for each token. Each goes the same way for two
// tokens of three, but not for the same two: see README.md for what that does
// to a profile of lines or edges.
package main

import (
	"fmt"
	"strings"
)

func main() {
	tokens := tokenize(settings(40, 25))
	count := make(map[kind]int)
	for _, t := range tokens {
		count[t.kind]++
	}
	last := tokens[len(tokens)-1]
	fmt.Printf("%d tokens: %d words, %d symbols\n", len(tokens), count[word], count[symbol])
	fmt.Printf("last: %q at %d:%d\n", last.text, last.line, last.col)
}

// A kind is what sort of token a token is.
type kind int

const (
	word   kind = iota // letters, digits and _
	symbol             // any other single byte but a blank or newline
)

// A token is a piece of the source and where it begins, both counted from 1.
type token struct {
	kind      kind
	text      string
	line, col int
}

// tokenize splits src, whose lines neither begin nor end with a blank and are not empty.
func tokenize(src string) []token {
	var tokens []token
	line, col := 1, 1
	for pos := 0; pos < len(src); {
		if src[pos] == ' ' {
			n := blanks(src[pos:])
			pos += n
			col += n
		}
		t := token{symbol, src[pos : pos+1], line, col}
		if isWordByte(src[pos]) {
			t.kind = word
			t.text = wordAt(src[pos:])
		}
		tokens = append(tokens, t)
		pos += len(t.text)
		if !endOfLine(src[pos:]) {
			col += len(t.text)
		} else {
			pos++
			line, col = line+1, 1
		}
	}
	return tokens
}

// The loops are in functions of their own: in tokenize, a loop would end the
// path of the token that it belongs to.

// blanks returns how many blanks s begins with.
func blanks(s string) int {
	return len(s) - len(strings.TrimLeft(s, " "))
}

// wordAt returns the word that s begins with.
func wordAt(s string) string {
	for i := 0; i < len(s); i++ {
		if !isWordByte(s[i]) {
			return s[:i]
		}
	}
	return s
}

func isWordByte(c byte) bool {
	return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '_'
}

func endOfLine(s string) bool {
	return s == "" || s[0] == '\n'
}

// settings returns a file of as many sections as asked for. Each has a heading and
// perSection settings, of which the last is a flag: a key without a value.
func settings(sections, perSection int) string {
	var b strings.Builder
	for s := range sections {
		fmt.Fprintf(&b, "[section_%d]\n", s)
		for k := range perSection - 1 {
			fmt.Fprintf(&b, "key_%d = %d\n", k, 1000*s+k)
		}
		fmt.Fprintf(&b, "enabled\n")
	}
	return b.String()
}
