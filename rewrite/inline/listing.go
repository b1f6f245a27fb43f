package inline

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// A Call is a call that the compiler has inlined.
type Call struct {
	File      string // as the compiler prints it
	Line, Col int    // of the call in the function that is compiled, however deep inside of other inlined calls; Col may be 0
	Callee    string // as the compiler prints it: with the package's name if it is another package's
}

// String returns the position in the form FILE:LINE:COL, or FILE:LINE.
func (c Call) String() string {
	if c.Col == 0 {
		return fmt.Sprintf("%s:%d", c.File, c.Line)
	}
	return fmt.Sprintf("%s:%d:%d", c.File, c.Line, c.Col)
}

// A Compilation is what the compiler said about one package.
type Compilation struct {
	Inlinable []string // functions, as the compiler prints them
	Calls     []Call   // in the compiler's order: at each position outer before inner
}

// Parse reads what the go command prints when packages are compiled with -m. The result is by package ID as go list
// prints it. An ID is the import path, followed by " [p.test]" for what is compiled for the test of p. Packages about
// which the compiler had nothing to say are not in the result. Other lines are ignored.
func Parse(output []byte) map[string]*Compilation {
	compilations := make(map[string]*Compilation)
	var c *Compilation
	for line := range bytes.Lines(output) {
		text := strings.TrimRight(string(line), "\r\n")
		if id, ok := strings.CutPrefix(text, "# "); ok {
			if c = compilations[id]; c == nil {
				c = new(Compilation)
				compilations[id] = c
			}
			continue
		}
		if c == nil {
			continue
		}
		if at, name, ok := strings.Cut(text, ": inlining call to "); ok {
			if call, ok := parsePosition(at); ok {
				call.Callee = functionName(name)
				c.Calls = append(c.Calls, call)
			}
		} else if _, name, ok := strings.Cut(text, ": can inline "); ok {
			c.Inlinable = append(c.Inlinable, functionName(name))
		}
	}
	return compilations
}

// functionName takes off what the compiler adds to names with -m=2 and with GOEXPERIMENT=newinliner.
func functionName(s string) string {
	s, _, _ = strings.Cut(s, " with cost ")
	s, _, _ = strings.Cut(s, " with score ")
	return s
}

// parsePosition reads FILE:LINE:COL or, behind a line directive without a column, FILE:LINE.
func parsePosition(s string) (at Call, ok bool) {
	rest, last, ok := cutNumber(s)
	if !ok {
		return Call{}, false
	}
	if file, line, ok := cutNumber(rest); ok {
		return Call{File: file, Line: line, Col: last}, true
	}
	return Call{File: rest, Line: last}, true
}

func cutNumber(s string) (rest string, n int, ok bool) {
	i := strings.LastIndexByte(s, ':')
	if i < 0 {
		return s, 0, false
	}
	n, err := strconv.Atoi(s[i+1:])
	return s[:i], n, err == nil
}
