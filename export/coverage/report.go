package coverage

import (
	"time"

	"github.com/goprofinstr/goprofinstr/export/coverprofile"
)

// A Report is the coverage of a profile.
type Report struct {
	Files []*File // by name
	Tests []Test  // what each test has covered, if that was recorded; parts of Files

	Missing []coverprofile.Missing // what is not known
	Outside int                    // files that are not below the root

	// Unsure is what counts as not covered, and may have been executed: paths were sampled.
	Unsure Unsure

	Time time.Time // when the last of the runs began
}

// Unsure is how much of a report may have been executed though it was not seen.
type Unsure struct{ Lines, Branches int }

// A Test is what one test has covered.
type Test struct {
	Name  string // with the import path of its package; "" for what is in no test
	Files []*File
}

// A File is a source file.
type File struct {
	Name      string // relative to the root of the profile, with forward slashes
	Package   string // import path
	Functions []Function
	Lines     []Line // that count, by number

	Statements, Executed int // as go test -cover counts them
}

// A Function is a function or function literal that is not empty.
type Function struct {
	Name          string // with the last element of the import path
	Line, EndLine int
	Count         int64 // calls
}

// A Line is a line that counts.
type Line struct {
	Number     int
	Count      int64
	Conditions []Condition // whose operands begin here, in source order
}

// A Condition has two branches: how often it was true, and how often false.
type Condition struct{ True, False int64 }

// Branches returns how many branches a line has, and of how many it is known that they were taken.
func (l *Line) Branches() (taken, all int) {
	for _, c := range l.Conditions {
		all += 2
		taken += one(c.True > 0) + one(c.False > 0)
	}
	return taken, all
}

// A Sum is of something how much there is, and how much of it was executed.
type Sum struct{ Executed, All int }

func (s *Sum) add(executed bool) { s.All, s.Executed = s.All+1, s.Executed+one(executed) }

// Plus returns the sum of both.
func (s Sum) Plus(t Sum) Sum { return Sum{s.Executed + t.Executed, s.All + t.All} }

// Totals are the sums of one or more files.
type Totals struct{ Statements, Lines, Functions, Branches Sum }

// Totals returns those of a file.
func (f *File) Totals() Totals {
	t := Totals{Statements: Sum{f.Executed, f.Statements}}
	for i := range f.Lines {
		l := &f.Lines[i]
		t.Lines.add(l.Count > 0)
		taken, all := l.Branches()
		t.Branches = t.Branches.Plus(Sum{taken, all})
	}
	for _, fn := range f.Functions {
		t.Functions.add(fn.Count > 0)
	}
	return t
}

// TotalsOf returns those of several files.
func TotalsOf(files []*File) Totals {
	var sum Totals
	for _, f := range files {
		t := f.Totals()
		sum.Statements, sum.Lines = sum.Statements.Plus(t.Statements), sum.Lines.Plus(t.Lines)
		sum.Functions, sum.Branches = sum.Functions.Plus(t.Functions), sum.Branches.Plus(t.Branches)
	}
	return sum
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}
