package emit

import "bytes"

// Names are the identifiers that rewritten code of one package uses. None of them occurs in its source.
type Names struct {
	Prefix   string // what they all begin with
	Counters string
	Hashes   string
	Sites    string // markers
	Register string // path register, a local variable of each function that needs one
	Label    string // labels of lowered conditions, with a number
	Anchor   string // leads to the frame
	Frame    string // state of the activation, in place of the register in functions that can be abandoned
	Selected string // selectors of events
	Trips    string // variables of loops, with a number
	Word     string // the activation word
	Before   string // of the number of a pair, what the path before adds
	Caches   string // of pairs in hash tables

	below map[string]bool // packages below goprofinstr/rt that code has mentioned
}

// NewNames returns names that occur in none of the sources.
func NewNames(sources [][]byte) *Names {
	prefix := "gpi_"
	for occurs(sources, prefix) {
		prefix += "_"
	}
	return &Names{
		Prefix:   prefix,
		Counters: prefix + "C",
		Hashes:   prefix + "H",
		Sites:    prefix + "S",
		Register: prefix + "r",
		Label:    prefix + "l",
		Anchor:   prefix + "a",
		Frame:    prefix + "f",
		Selected: prefix + "K",
		Trips:    prefix + "t",
		Word:     prefix + "m",
		Before:   prefix + "p",
		Caches:   prefix + "Q",
	}
}

func occurs(sources [][]byte, s string) bool {
	for _, src := range sources {
		if bytes.Contains(src, []byte(s)) {
			return true
		}
	}
	return false
}
