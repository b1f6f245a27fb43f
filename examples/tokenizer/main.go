// Tokenizer splits a settings file of key = value lines into tokens and prints
// how many of each kind there are.
//
// Its loop takes three decisions for each token. Each goes the same way for two tokens
// of three, but not for the same two. README.md says what that does to a profile of
// lines or of edges.
package main

import (
	"fmt"
	"strings"
)

// The size of the settings file. The test derives the count of every path from it.
const (
	sections   = 40
	perSection = 25
)

func main() {
	tokens := tokenize(settings(sections, perSection))
	words := 0
	for _, t := range tokens {
		if t.kind == word {
			words++
		}
	}
	fmt.Printf("%d tokens: %d words, %d symbols\n", len(tokens), words, len(tokens)-words)
	last := tokens[len(tokens)-1]
	fmt.Printf("the last is %q at %d:%d\n", last.text, last.line, last.col)
}

// A kind says what sort of token a token is.
type kind int

const (
	symbol kind = iota // a single byte that is neither blank nor part of a word
	word               // bytes of wordBytes
)

const wordBytes = "abcdefghijklmnopqrstuvwxyz0123456789_"

// A token is a piece of the source and where it begins, counted from 1.
type token struct {
	kind      kind
	text      string
	line, col int
}

// tokenize splits src. Lines must not be empty, nor begin or end with a blank.
func tokenize(src string) []token {
	var tokens []token
	line, col := 1, 1
	for pos := 0; pos < len(src); {
		if src[pos] == ' ' {
			n := len(prefix(src[pos:], " "))
			pos += n
			col += n
		}
		t := token{symbol, src[pos : pos+1], line, col}
		if strings.IndexByte(wordBytes, src[pos]) >= 0 {
			t.kind = word
			t.text = prefix(src[pos:], wordBytes)
		}
		tokens = append(tokens, t)
		pos += len(t.text)
		if !endOfLine(src[pos:]) {
			col += len(t.text)
		} else {
			pos++ // the newline
			line, col = line+1, 1
		}
	}
	return tokens
}

// prefix returns the longest beginning of s that has only bytes of set. It is a
// function of its own because a loop inside tokenize would end the path of its token.
func prefix(s, set string) string {
	return s[:len(s)-len(strings.TrimLeft(s, set))]
}

// endOfLine reports whether nothing is left of a line.
func endOfLine(rest string) bool {
	return rest == "" || rest[0] == '\n'
}

// settings returns a file of sections. Each has a heading and perSection
// settings, of which the last is a flag: a key without a value.
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
