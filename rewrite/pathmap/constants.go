package pathmap

import (
	"go/constant"
	"go/token"

	"github.com/goprofinstr/goprofinstr/rewrite/machine"
	"github.com/goprofinstr/goprofinstr/ssacfg"
)

// A condition has no jump where the call was inlined with a constant for a parameter, nor where a variable can have one value
// only. Then the source tells how it comes out.

// A caller is a call with the function that it is in.
type caller struct {
	f *Func
	Call
}

// findCallers indexes the calls of all functions by what line tables say.
func (s *Source) findCallers() {
	s.callers = make(map[Place][]caller)
	for _, f := range s.Funcs {
		for _, c := range s.Calls(f) {
			if c.Callee != "" && c.Piece >= 0 {
				s.callers[c.Place] = append(s.callers[c.Place], caller{f, c})
			}
		}
	}
}

// argument returns the constant that parameter k of a function has in a call that was inlined, nil if that is not known.
func (s *Source) argument(f *Func, at *machine.Scope, k int) (v constant.Value) {
	if at == nil || at.Parent == nil {
		return nil
	}
	name := s.NameOf(f)
	for _, c := range s.callers[s.Place(at.CallFile, at.CallLine)] {
		if c.Callee != name {
			continue
		}
		if k >= len(c.Arguments) {
			return nil
		}
		a := c.Arguments[k]
		if a.Parameter > 0 && at.Parent.Parent != nil {
			a.Value = s.argument(c.f, at.Parent, a.Parameter-1)
		}
		if a.Value == nil || v != nil && !constant.Compare(v, token.EQL, a.Value) {
			return nil
		}
		v = a.Value
	}
	return v
}

// findNever finds the edges that are never taken, since a parameter or variable is constant.
func (t *Target) findNever() {
	t.never = make(map[int]bool)
	for b := range t.F.blocks {
		test := t.testOf(b)
		if test == nil {
			continue
		}
		v := test.Constant
		if v == nil && test.Parameter > 0 {
			v = t.source.argument(t.F, t.At, test.Parameter-1)
		}
		if is, ok := outcome(test, v); ok {
			t.never[t.edgeIf(b, !is)] = true
		}
	}
}

// outcome returns how a test of a constant comes out.
func outcome(test *ssacfg.Test, v constant.Value) (is, ok bool) {
	switch {
	case v == nil:
		return false, false
	case test.Op == token.ILLEGAL:
		return v.Kind() == constant.Bool && constant.BoolVal(v), v.Kind() == constant.Bool
	case test.With == nil || v.Kind() != constant.Int || test.With.Kind() != constant.Int:
		return false, false
	}
	return constant.Compare(v, test.Op, test.With), true
}

// decided reports whether the source tells which edge a block takes.
func (t *Target) decided(block int) bool {
	for _, e := range t.F.out[block] {
		if t.never[e] {
			return true
		}
	}
	return false
}

// Reached reports whether control ever leaves a block, as far as is known. What is behind a way that is none of the source is
// not.
func (t *Target) Reached(block int) bool {
	for _, e := range t.F.out[block] {
		if t.Taken[e] {
			return true
		}
	}
	return t.Failed != "" || len(t.Kills) > 0
}
