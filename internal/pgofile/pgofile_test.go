package pgofile

import (
	"testing"

	"github.com/google/pprof/profile"
)

// TestEncode reads a profile as the compiler does: caller, callee and the line of the call from that of the caller.
func TestEncode(t *testing.T) {
	edges := []Edge{{"m/p.F", "m/p.small", 3, 7}, {"m/p.F", "m/p.(*T).m", -12, 5}, {"main.main", "m/p.F", 0, 1}}
	data, err := Encode(edges)
	if err != nil {
		t.Fatal(err)
	}
	p, err := profile.ParseData(data)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.CheckValid(); err != nil || len(p.Sample) != len(edges) {
		t.Fatalf("%d samples, %v", len(p.Sample), err)
	}
	for i, s := range p.Sample {
		callee, call := s.Location[0].Line[0], s.Location[1].Line[0]
		got := Edge{call.Function.Name, callee.Function.Name, int(call.Line - call.Function.StartLine), s.Value[0]}
		if got != edges[i] {
			t.Errorf("edge %d: %+v, want %+v", i, got, edges[i])
		}
	}
}

func TestGeneric(t *testing.T) {
	for symbol, want := range map[string]string{
		"m.F":               "m.F",
		"m.F[go.shape.int]": "m.F[...]",
		"m.(*G[go.shape.[]int,go.shape.map[string]m.T]).M.func1": "m.(*G[...]).M.func1",
		"m.F[...]": "m.F[...]",
		"]m.F[":    "]m.F[",
		"f":        "f", "f[int].func1": "f[...].func1", "f[[]int,go.shape.string]": "f[...]", "(*T[U[int]]).get": "(*T[...]).get",
		"(*T[int]).get[string]": "(*T[...]).get[...]", "(*T).get[string].func1": "(*T).get[...].func1",
	} {
		if got := Generic(symbol); got != want {
			t.Errorf("Generic(%q) = %q, want %q", symbol, got, want)
		}
	}
}

func TestEscapePath(t *testing.T) {
	for path, want := range map[string]string{
		"example.com/m/p": "example.com/m/p", "example.com/m/p.q": "example.com/m/p%2eq", "a b/ü": "a%20b/%c3%bc",
	} {
		if got := EscapePath(path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

func TestOutermost(t *testing.T) {
	for name, want := range map[string]string{
		"F": "F", "F.func1": "F", "(*T).f": "(*T).f", "(*T).f.func1.2": "(*T).f", "(*T).f-range1.1": "(*T).f",
		"(*T).f.func1-range2.1": "(*T).f", "(*T).f-range1.func1": "(*T).f", "(*T).funcs": "(*T).funcs", "(*T).funcs.func1": "(*T).funcs",
	} {
		if got := Outermost(name); got != want {
			t.Errorf("%s is said to be in %s, want %s", name, got, want)
		}
	}
}
