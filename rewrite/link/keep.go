package link

import (
	"bytes"
	"crypto/sha256"
	"fmt"
)

// A Keeper keeps values from one run to the next, by words.
type Keeper interface {
	Get(words []string, value any) bool
	Put(words []string, value any)
}

// An addition is what copies are in a program, in front of which nothing of them is.
type addition struct {
	Changed []change // in order
	Tail    []byte   // behind the program
	Report  Report
}

// A change is of a part of the program.
type change struct {
	At   int
	Data []byte
}

// part is the length of the parts that are compared.
const part = 4096

// difference returns what is added to a program.
func difference(before, after []byte, r Report) *addition {
	a := &addition{Tail: after[len(before):], Report: r}
	for at := 0; at < len(before); at += part {
		end := min(at+part, len(before))
		if !bytes.Equal(before[at:end], after[at:end]) {
			a.Changed = append(a.Changed, change{at, after[at:end]})
		}
	}
	return a
}

// apply returns the program with the addition. It writes to before.
func (a *addition) apply(before []byte) []byte {
	for _, c := range a.Changed {
		copy(before[c.At:], c.Data)
	}
	return append(before, a.Tail...)
}

// words returns what an addition depends on: the program as it was linked, the records, and the sources. Types are in neither,
// but the code of the program is.
func words(data []byte, known []*Record, strip bool) ([]string, error) {
	h := sha256.New()
	h.Write(data)
	for _, r := range known {
		encoded, err := r.Encode()
		if err != nil {
			return nil, err
		}
		h.Write(encoded)
		for _, f := range r.Table.Files {
			src, err := r.source(f.Name)
			if err != nil {
				return nil, err
			}
			fmt.Fprintf(h, "%s %d\n", f.Name, len(src))
			h.Write(src)
		}
	}
	return []string{"copies", fmt.Sprintf("%x, stripped %t", h.Sum(nil), strip)}, nil
}
