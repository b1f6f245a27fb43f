package rewrite

import (
	"bytes"
	"go/token"
	"sort"
)

// edits collects insertions into one file.
type edits struct {
	file *token.File
	list []insertion
}

type insertion struct {
	offset, order int
	text          string
}

// insert inserts text at pos; texts at one position stand by increasing
// order, and in the sequence of the calls where that is equal.
func (e *edits) insert(pos token.Pos, order int, text string) {
	e.list = append(e.list, insertion{e.file.Offset(pos), order, text})
}

// apply returns src with the insertions. No line of it moves.
func (e *edits) apply(src []byte) []byte {
	sort.SliceStable(e.list, func(i, j int) bool {
		a, b := e.list[i], e.list[j]
		return a.offset < b.offset || a.offset == b.offset && a.order < b.order
	})
	var out bytes.Buffer
	done := 0
	for _, in := range e.list {
		out.Write(src[done:in.offset])
		out.WriteString(in.text)
		done = in.offset
	}
	out.Write(src[done:])
	return out.Bytes()
}
