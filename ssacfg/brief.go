package ssacfg

import (
	"golang.org/x/tools/go/ssa"

	"github.com/goprofinstr/goprofinstr/ssacfg/mark"
)

// brief returns which functions end soon after they begin: they have no loops, and call nothing but such functions of the
// package. Calls through interfaces and function values, and of other packages, may take any time. So may functions that are
// ranged over.
func brief(bodies []*ssa.Function, iterators *iterators) *briefness {
	b := &briefness{iterators: iterators, known: make(map[*ssa.Function]bool), found: make(map[*ssa.Function]bool)}
	for _, fn := range bodies {
		b.known[fn] = true
	}
	for _, fn := range bodies {
		b.is(fn)
	}
	return b
}

// briefPackages are packages whose functions end soon, most of all those that inner loops call. Marks of the callers of these
// functions cost regexp up to 4 points of instructions. Functions of unicode/utf8 that have loops end soon unless their strings
// are very long.
var briefPackages = map[string]bool{
	mark.PkgPath: true,
	"math":       true, "math/bits": true, "sync/atomic": true, "unicode": true, "unicode/utf8": true, "unicode/utf16": true,
}

type briefness struct {
	iterators *iterators
	known     map[*ssa.Function]bool
	found     map[*ssa.Function]bool // false while it is not decided: a function that calls itself is not brief
}

func (b *briefness) is(fn *ssa.Function) bool {
	if is, decided := b.found[fn]; decided {
		return is
	}
	b.found[fn] = false
	is := !loops(fn)
	for _, block := range fn.Blocks {
		for _, instr := range block.Instrs {
			if call, ok := instr.(ssa.CallInstruction); ok && is {
				is = b.endsSoon(call)
			}
			if _, ok := b.iterators.runsIn(instr); ok {
				is = false
			}
		}
	}
	b.found[fn] = is
	return is
}

func (b *briefness) endsSoon(instr ssa.CallInstruction) bool {
	if _, ok := instr.(*ssa.Call); !ok {
		return false // go or defer
	}
	if _, ok := instr.Common().Value.(*ssa.Builtin); ok {
		return true
	}
	callee := instr.Common().StaticCallee()
	return callee != nil && b.callee(callee)
}

// callee reports whether a function that is called by its name ends soon.
func (b *briefness) callee(callee *ssa.Function) bool {
	switch {
	case callee.Pkg != nil && briefPackages[callee.Pkg.Pkg.Path()]:
		return true
	case callee.Origin() != nil:
		callee = callee.Origin()
	}
	return b.known[callee] && b.is(callee)
}

// loops reports whether a function has a cycle of blocks.
func loops(fn *ssa.Function) bool {
	const open, done = 1, 2
	state := make([]int, len(fn.Blocks))
	var visit func(b *ssa.BasicBlock) bool
	visit = func(b *ssa.BasicBlock) bool {
		state[b.Index] = open
		for _, s := range b.Succs {
			if state[s.Index] == open || state[s.Index] == 0 && visit(s) {
				return true
			}
		}
		state[b.Index] = done
		return false
	}
	for _, b := range fn.Blocks {
		if state[b.Index] == 0 && visit(b) {
			return true
		}
	}
	return false
}
