// Package pgofile writes and reads profiles for the Go compiler's profile-guided optimisation: calls with how often they are
// executed.
//
// The compiler (cmd/internal/pgo, cmd/compile/internal/pgoir) reads edges of calls off the stacks in a CPU profile.
// An edge has the caller, the callee, the line of the call from the line that the caller starts on, and a weight.
// Here the edges are known, so each is a stack of two functions of its own. The compiler takes for hot, and inlines
// at the price of more code, the heaviest edges whose weights add up to 99% of all.
package pgofile

import (
	"bytes"
	"strings"

	"github.com/google/pprof/profile"
)

// An Edge is a call in a profile, as the compiler finds it.
type Edge struct {
	Caller, Callee string // symbols
	Offset         int    // of the call's line, from the line where the caller starts
	Weight         int64
}

// firstLine is where functions start in the profiles that we write. The compiler sees only differences of lines, and
// what is inlined from another file may lie before the start of the function.
const firstLine = 1 << 24

// Encode returns a profile with the given edges, for the compiler's -pgoprofile. Edges in the same order give the same
// bytes. Comments are for people: go tool pprof -comments prints them, and the compiler does not look at them.
func Encode(edges []Edge, comments ...string) ([]byte, error) {
	e := encoder{profile: &profile.Profile{SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}}, Comments: comments},
		functions: make(map[string]*profile.Function), locations: make(map[place]*profile.Location)}
	for _, edge := range edges {
		e.profile.Sample = append(e.profile.Sample, &profile.Sample{
			Location: []*profile.Location{e.location(place{edge.Callee, 0}), e.location(place{edge.Caller, edge.Offset})},
			Value:    []int64{edge.Weight},
		})
	}
	if err := e.profile.CheckValid(); err != nil {
		panic("BUG: profile of inlined calls: " + err.Error())
	}
	var b bytes.Buffer
	err := e.profile.Write(&b)
	return b.Bytes(), err
}

// A place is a line in a function.
type place struct {
	function string
	offset   int
}

type encoder struct {
	profile   *profile.Profile
	functions map[string]*profile.Function
	locations map[place]*profile.Location
}

func (e *encoder) location(p place) *profile.Location {
	if l := e.locations[p]; l != nil {
		return l
	}
	l := &profile.Location{
		ID:   uint64(len(e.profile.Location) + 1),
		Line: []profile.Line{{Function: e.function(p.function), Line: int64(firstLine + p.offset)}},
	}
	e.locations[p] = l
	e.profile.Location = append(e.profile.Location, l)
	return l
}

func (e *encoder) function(name string) *profile.Function {
	if f := e.functions[name]; f != nil {
		return f
	}
	f := &profile.Function{ID: uint64(len(e.profile.Function) + 1), Name: name, SystemName: name, StartLine: firstLine}
	e.functions[name] = f
	e.profile.Function = append(e.profile.Function, f)
	return f
}

// Generic returns a symbol with [...] for the type arguments of an instance, as path tables and stack traces have it; any
// other as it is. A method and its receiver's type may both have some. It does what the runtime's funcNameForPrint does.
func Generic(symbol string) string {
	var b strings.Builder
	depth := 0
	for _, c := range symbol {
		switch {
		case c == '[':
			if depth++; depth == 1 {
				b.WriteString("[...]")
			}
		case c == ']' && depth > 0:
			depth--
		case depth == 0:
			b.WriteRune(c)
		}
	}
	if depth > 0 {
		return symbol
	}
	return b.String()
}

// Plain returns a symbol without type arguments.
func Plain(symbol string) string { return strings.ReplaceAll(Generic(symbol), "[...]", "") }

// Outermost returns the declared function that a function literal is in: F of F.func1.2 and of F-range1.1. For a declared
// function it is its own name, unless it is a method that is called as literals are.
func Outermost(name string) string {
	const literal = ".func"
	name, _, _ = strings.Cut(name, "-range")
	i := strings.LastIndex(name, literal)
	if i < 0 {
		return name
	}
	if number := name[i+len(literal):]; number != "" && '0' <= number[0] && number[0] <= '9' {
		return name[:i]
	}
	return name
}

// EscapePath returns what the symbols of a package begin with; it does what cmd/internal/objabi.PathToPrefix does.
func EscapePath(path string) string {
	const hex = "0123456789abcdef"
	slash := strings.LastIndexByte(path, '/')
	var b strings.Builder
	for i := range len(path) {
		c := path[i]
		if c <= ' ' || c == '.' && i > slash || c == '%' || c == '"' || c >= 0x7f {
			b.Write([]byte{'%', hex[c>>4], hex[c&15]})
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
