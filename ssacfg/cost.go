package ssacfg

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Costs of instructions are static estimates by opcode, as AUDIT 5.3 has them from instruction scheduling. They are in cycles,
// with all data in the first cache. Package timing uses them to tell that two passes of a point are not too close. What is called
// is not looked into: a function that ends soon (see brief) costs its call, another one what a short loop does.
const (
	costSimple   = 1  // arithmetic, a comparison with its branch, a store, an address
	costLoad     = 4  // from memory; local variables whose address is not taken are in registers
	costMultiply = 3  //
	costDivide   = 20 //
	costFloat    = 4  //
	costIndex    = 2  // an address with its bounds check
	costCall     = 10 // of a function, with its frame and the check of its stack
	costLongCall = 100
	costDynamic  = 14 // of an interface's method or a function value
	costBuiltin  = 5  // append with room, copy, clear, delete of what is not there
	costAllocate = 25 //
	costString   = 20 // conversion or concatenation
	costAssert   = 4  // type assertion
	costMap      = 20 // lookup, update, one step of a range
	costChannel  = 50 // send, receive, select
	costCount    = 2  // one step of a range over an integer: it adds and compares
	costGo       = 300
	costDefer    = 10
)

// costOf returns the cost of an instruction.
func (x *extractor) costOf(instr ssa.Instruction) uint64 {
	switch instr := instr.(type) {
	case *ssa.BinOp:
		return costOfBinary(instr)
	case *ssa.UnOp:
		return costOfUnary(instr)
	case *ssa.Store:
		if isRegister(instr.Addr) {
			return 0
		}
		return costSimple
	case *ssa.Alloc:
		if instr.Heap {
			return costAllocate
		}
	case *ssa.Call:
		return x.costOfCall(instr.Common())
	case *ssa.Convert, *ssa.MultiConvert:
		return costOfConversion(instr.(ssa.Value).Type(), *instr.Operands(nil)[0])
	case *ssa.Index, *ssa.IndexAddr, *ssa.Slice, *ssa.SliceToArrayPointer:
		return costIndex
	case *ssa.FieldAddr:
		return costSimple
	case *ssa.TypeAssert:
		if !types.IsInterface(instr.X.Type()) {
			return 0 // which unrotate has made
		}
		return costAssert
	case *ssa.Next:
		if x.iterators.counts(instr) {
			return costCount
		}
		return costMap
	case *ssa.Lookup, *ssa.MapUpdate:
		return costMap
	case *ssa.MakeSlice, *ssa.MakeMap, *ssa.MakeChan, *ssa.MakeClosure:
		return costAllocate
	case *ssa.Send, *ssa.Select:
		return costChannel
	case *ssa.Go:
		return costGo
	case *ssa.Defer:
		return costDefer
	}
	return 0 // jumps, branches, which are one with their comparison, and what is in every function, used or not
}

func costOfBinary(b *ssa.BinOp) uint64 {
	if call, ok := b.X.(*ssa.Call); ok && isMarkerCall(call) {
		return 0
	}
	info := types.BasicInfo(0)
	if t, ok := b.X.Type().Underlying().(*types.Basic); ok {
		info = t.Info()
	}
	switch {
	case info&types.IsString != 0 && b.Op == token.ADD:
		return costString
	case info&types.IsString != 0:
		return costLoad
	case b.Op == token.QUO || b.Op == token.REM:
		if _, isConst := b.Y.(*ssa.Const); isConst && info&types.IsInteger != 0 {
			return costMultiply
		}
		return costDivide
	case info&(types.IsFloat|types.IsComplex) != 0:
		return costFloat
	case b.Op == token.MUL:
		return costMultiply
	}
	return costSimple
}

func costOfUnary(u *ssa.UnOp) uint64 {
	switch {
	case u.Op == token.ARROW:
		return costChannel
	case u.Op == token.MUL && isRegister(u.X):
		return 0
	case u.Op == token.MUL:
		return costLoad
	}
	return costSimple
}

// isRegister reports whether what is at an address is a local variable that may be in a register.
func isRegister(addr ssa.Value) bool {
	a, ok := addr.(*ssa.Alloc)
	return ok && !a.Heap
}

func (x *extractor) costOfCall(c *ssa.CallCommon) uint64 {
	if b, ok := c.Value.(*ssa.Builtin); ok {
		switch b.Name() {
		case "append", "copy", "clear", "delete":
			return costBuiltin
		case "panic", "print", "println", "recover":
			return costCall
		}
		return 0 // len and the like
	}
	callee := c.StaticCallee()
	switch {
	case callee == nil:
		return costDynamic
	case x.brief.callee(callee):
		return costCall
	}
	return costLongCall
}

func costOfConversion(t types.Type, from ssa.Value) uint64 {
	for _, t := range []types.Type{t, from.Type()} {
		if b, ok := t.Underlying().(*types.Basic); ok && b.Info()&types.IsString != 0 {
			return costString
		}
	}
	return costSimple
}
