package source

import (
	"bytes"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/export/profiledir"
	"github.com/goprofinstr/goprofinstr/internal/align"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// lineMap tells which lines of a file are those of the run. Lines are counted from 1.
type lineMap struct {
	now  []int // by line of the run; 0 for one that is not there any more
	then []int // by line of the file as it is; 0 for one that was not there
}

// compare finds the lines of the run in a file, given what is known of each. Without that, or if they are all as they
// were, file.run stays nil.
func (file *File) compare(sums []byte) {
	if len(sums) == 0 || len(sums)%profiledir.LineSumSize != 0 {
		return
	}
	is := profiledir.LineSums(file.Whole)
	if file.Verified = bytes.Equal(sums, is); file.Verified {
		return
	}
	before, after := split(sums), split(is)
	run := &lineMap{now: make([]int, len(before)+1), then: make([]int, len(after)+1)}
	for i, j := range align.Long(before, after) {
		if j >= 0 {
			run.now[i+1], run.then[j+1] = j+1, i+1
		}
	}
	file.run = run
	file.edited = file.asInRun()
}

// split returns what is known of each line.
func split(sums []byte) []string {
	var list []string
	for sum := range slices.Chunk(sums, profiledir.LineSumSize) {
		list = append(list, string(sum))
	}
	return list
}

// asInRun returns a file with the lines of the run that are still there, and others empty.
func (file *File) asInRun() *File {
	m := *file
	m.Edited, m.moved = true, nil
	m.Lines = make([]string, len(file.run.now)-1)
	for line, now := range file.run.now {
		if now > 0 {
			m.Lines[line-1] = file.Lines[now-1]
		}
	}
	m.Text = strings.Join(m.Lines, "\n")
	return &m
}

// ofRun returns the file with the lines of a function as they were: moved, if they are all there, or those that are. It
// returns nil if so few are that the function must be another.
func (file *File) ofRun(f *table.Function) *File {
	if f.Line < 1 || f.EndLine < f.Line || f.EndLine >= len(file.run.now) {
		return nil
	}
	if b := f.Body; b.Line != 0 && (b.Line < f.Line || b.EndLine < b.Line || b.EndLine > f.EndLine) { // the table is damaged
		return nil
	}
	lines := file.run.now[f.Line : f.EndLine+1]
	by, together := lines[0]-f.Line, lines[0] > 0
	for i, now := range lines {
		together = together && now == lines[0]+i
	}
	if !together {
		if !file.edited.resembles(f) {
			return nil
		}
		return file.edited
	}
	m := file.move(by)
	if !m.Verified { // who has it already reads this without the lock
		m.Verified = true
	}
	if !m.has(f) {
		return nil
	}
	return m
}

// resembles reports whether the first line of f is still there, or half of those that say anything.
func (file *File) resembles(f *table.Function) bool {
	if file.Now(f.Line) > 0 {
		return true
	}
	says, all := 0, 0
	for n := f.Line; n <= f.EndLine; n++ {
		switch {
		case file.Now(n) == 0:
			all++
		case strings.Trim(file.Lines[n-1], "{}() \t") != "":
			says++
			all++
		}
	}
	return 2*says >= all && says > 0
}

// Now returns where a line of the run is now, 0 if it is not there any more.
func (file *File) Now(line int) int {
	switch {
	case !file.Edited:
		return line + file.Moved
	case line < 1 || line >= len(file.run.now):
		return 0
	}
	return file.run.now[line]
}

// Then returns where a line was in the run, 0 if it was not there.
func (file *File) Then(now int) int {
	switch {
	case !file.Edited:
		return now - file.Moved
	case now < 1 || now >= len(file.run.then):
		return 0
	}
	return file.run.then[now]
}

// Same reports whether all lines from one to another, as they are now, follow each other as they did in the run.
func (file *File) Same(from, to int) bool {
	first := file.Then(from)
	for n := from; n <= to; n++ {
		if then := file.Then(n); then == 0 || then != first+n-from {
			return false
		}
	}
	return true
}

// Gone returns the lines of f that are not there any more.
func (file *File) Gone(f *table.Function) (lines []int) {
	for n := f.Line; n <= f.EndLine; n++ {
		if file.Now(n) == 0 {
			lines = append(lines, n)
		}
	}
	return lines
}
