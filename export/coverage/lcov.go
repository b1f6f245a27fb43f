package coverage

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// WriteLcov writes a tracefile as geninfo(1) of lcov describes it, for versions 1 and 2. Records FN have no end line, which
// version 1 takes for the name. If it is known what each test has covered, there are sections of each test, under its name.
// One more section has what is in no test: lcov adds them up.
//
//	TN:
//	SF:m.go
//	FN:3,F
//	FNDA:3,F
//	BRDA:4,0,0,2           line, condition on it, 0 for true and 1 for false, how often
//	BRDA:4,0,1,1
//	DA:4,3
func (r *Report) WriteLcov(w io.Writer) error {
	out := bufio.NewWriter(w)
	tests := r.Tests
	if tests == nil {
		tests = []Test{{Files: r.Files}}
	}
	titles := testTitles(tests)
	for i, t := range tests {
		for _, f := range t.Files {
			fmt.Fprintf(out, "TN:%s\n", titles[i])
			writeSection(out, f)
		}
	}
	return out.Flush()
}

// writeSection writes what lcov has of a file.
func writeSection(out *bufio.Writer, f *File) {
	t := f.Totals()
	fmt.Fprintf(out, "SF:%s\n", oneLine(f.Name))
	for _, fn := range f.Functions {
		fmt.Fprintf(out, "FN:%d,%s\n", fn.Line, functionName(fn.Name))
	}
	for _, fn := range f.Functions {
		fmt.Fprintf(out, "FNDA:%d,%s\n", fn.Count, functionName(fn.Name))
	}
	fmt.Fprintf(out, "FNF:%d\nFNH:%d\n", t.Functions.All, t.Functions.Executed)
	for i := range f.Lines {
		writeBranches(out, &f.Lines[i])
	}
	fmt.Fprintf(out, "BRF:%d\nBRH:%d\n", t.Branches.All, t.Branches.Executed)
	for _, l := range f.Lines {
		fmt.Fprintf(out, "DA:%d,%d\n", l.Number, l.Count)
	}
	fmt.Fprintf(out, "LF:%d\nLH:%d\nend_of_record\n", t.Lines.All, t.Lines.Executed)
}

// writeBranches writes the branches of a line. Those of a condition that was never decided have no count.
func writeBranches(out *bufio.Writer, l *Line) {
	for i, c := range l.Conditions {
		for branch, n := range []int64{c.True, c.False} {
			taken := strconv.FormatInt(n, 10)
			if c.True == 0 && c.False == 0 {
				taken = "-"
			}
			fmt.Fprintf(out, "BRDA:%d,%d,%d,%s\n", l.Number, i, branch, taken)
		}
	}
}

// functionName returns a name without commas, at which lcov ends it.
func functionName(name string) string { return strings.ReplaceAll(oneLine(name), ",", ";") }

// oneLine returns a text without what would end a record.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' {
			return '\uFFFD'
		}
		return r
	}, s)
}

// testTitles returns what lcov calls tests: names with letters, digits and underscores only, and no two the same.
func testTitles(tests []Test) []string {
	known := make(map[string]bool)
	titles := make([]string, len(tests))
	for i, t := range tests {
		title := strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
				return r
			}
			return '_'
		}, t.Name)
		for n, base := 2, title; known[title]; n++ {
			title = fmt.Sprintf("%s_%d", base, n)
		}
		known[title] = true
		titles[i] = title
	}
	return titles
}
