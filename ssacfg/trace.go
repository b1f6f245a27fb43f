package ssacfg

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/goprofinstr/goprofinstr/ssacfg/mark"
)

// A step is something that happens on the way along a path. All kinds of steps are comparable.
type step interface{ isStep() }

type (
	// An assignment gives a local variable a value: nil if it is not known. A variable that comes to life has its
	// Alloc: zero.
	assignment struct {
		variable *ssa.Alloc
		value    ssa.Value
	}
	// A finding is that a condition is true, or that it is not.
	finding struct {
		condition *condition
		is        bool
	}
	called  struct{ *Call }
	reached struct{ *mark.Place }
	spent   uint64 // instructions of this cost have been executed: timing.go
)

func (assignment) isStep() {}
func (finding) isStep()    {}
func (called) isStep()     {}
func (reached) isStep()    {}
func (spent) isStep()      {}

// A trace is the steps of a block or edge, in order.
type trace []step

// then returns the steps of several traces, one after the other.
func (t trace) then(next ...trace) trace {
	for _, n := range next {
		t = append(t[:len(t):len(t)], n...)
	}
	return t
}

// or returns what is known if either t or other has happened: what may have got a value and been called, and the smaller cost.
func (t trace) or(other trace) trace {
	if slices.Equal(t, other) {
		return t
	}
	var either trace
	for _, s := range t.then(other) {
		switch s := s.(type) {
		case called:
			if !slices.Contains(either, step(s)) {
				either = append(either, s)
				s.merged = s.merged || !slices.Contains(t, step(s)) || !slices.Contains(other, step(s))
			}
		case assignment:
			s.value = nil
			if !slices.Contains(either, step(s)) {
				either = append(either, s)
			}
		}
	}
	return either.withCost(min(t.cost(), other.cost()))
}

// trace returns what b does to local variables, what it costs, and the places in it.
func (c *conditions) trace(b *ssa.BasicBlock, x *extractor) trace {
	var t trace
	for _, instr := range b.Instrs {
		if p := x.marker(instr); p != nil {
			t = append(t, reached{p})
			continue
		}
		t = t.withCost(x.costOf(instr))
		switch instr := instr.(type) {
		case *ssa.Alloc:
			if c.isLocal(instr) {
				t = append(t, assignment{instr, instr})
			}
		case *ssa.Store:
			if v, ok := instr.Addr.(*ssa.Alloc); ok && c.isLocal(v) {
				t = append(t, assignment{v, instr.Val})
			}
		}
	}
	return t
}
