package rewrite

import (
	"go/token"
	"slices"

	"github.com/goprofinstr/goprofinstr/ssacfg"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// positionLines tells which lines have code of which positions.
type positionLines struct {
	fset  *token.FileSet
	lines map[int][]position
}

// linesOf returns the lines of the notes of a function; nil if they do not tell its positions.
func (f *framer) linesOf(notes []*note) *positionLines {
	// The code of a function that ranges over a function is in several functions. The register of one that has a hash
	// table does not go into one number with a line.
	if f.fn.RangesFunc || f.Storage == table.StorageHash || f.scope == nil || f.without.has(Lines) {
		return nil
	}
	l := &positionLines{f.fset, make(map[int][]position)}
	for _, n := range notes {
		if slices.ContainsFunc(n.risk, func(s ssacfg.Source) bool { return !s.From.IsValid() || moved(l.fset, s.From) }) {
			return nil
		}
		for _, r := range l.of(n) {
			for line := r.First; line <= r.Last; line++ {
				if !slices.Contains(l.lines[line], n.position) {
					l.lines[line] = append(l.lines[line], n.position)
				}
			}
		}
	}
	return l
}

// moved reports whether stack traces have another line for pos than its own, by a //line directive.
func moved(fset *token.FileSet, pos token.Pos) bool {
	return fset.Position(pos) != fset.PositionFor(pos, false)
}

// of returns the lines of the code that can fail at a note.
func (l *positionLines) of(n *note) []table.Lines {
	var list []table.Lines
	for _, s := range n.risk {
		r := table.Lines{First: l.fset.PositionFor(s.From, false).Line, Last: l.fset.PositionFor(s.To, false).Line}
		if !slices.Contains(list, r) {
			list = append(list, r)
		}
	}
	return list
}

// shared reports whether any of the note's lines has code of another position, too.
func (l *positionLines) shared(n *note) bool {
	for _, r := range l.of(n) {
		for line := r.First; line <= r.Last; line++ {
			if len(l.lines[line]) > 1 {
				return true
			}
		}
	}
	return false
}
