package link

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
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

// sumOf returns a sum of records, and of the sources that they are about.
func sumOf(records []*Record) (sum [sha256.Size]byte, err error) {
	h := sha256.New()
	byID := slices.SortedFunc(slices.Values(records), func(a, b *Record) int { return strings.Compare(a.ID, b.ID) })
	for _, r := range byID {
		encoded, err := r.Encode()
		if err != nil {
			return sum, err
		}
		fmt.Fprintf(h, "%d\n", len(encoded))
		h.Write(encoded)
		for _, f := range r.Table.Files {
			src, err := r.source(f.Name)
			if err != nil {
				return sum, err
			}
			fmt.Fprintf(h, "%s %d\n", f.Name, len(src))
			h.Write(src)
		}
	}
	return [sha256.Size]byte(h.Sum(nil)), nil
}

// words returns what an addition depends on: the program as it was linked, the records, and the sources. Types are in neither,
// but the code of the program is.
func words(data []byte, known [sha256.Size]byte, strip Strip) []string {
	return []string{"copies", fmt.Sprintf("%x %x, stripped %+v", sha256.Sum256(data), known, strip)}
}

// anyWords are those of a value that is kept with the additions of all programs that have the same records and sources.
func anyWords(known [sha256.Size]byte) []string {
	return []string{"copies of any program", fmt.Sprintf("%x", known)}
}
