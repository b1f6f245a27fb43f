package ssacfg

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/goprofinstr/goprofinstr/ssacfg/mark"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// An extractor reads blocks and edges off SSA functions.
type extractor struct {
	path       string // of the package
	places     []*mark.Place
	literals   map[token.Pos]string // names of function literals
	info       *types.Info
	sources    *sources
	iterators  *iterators
	dynamic    bool        // calls whose callees are not known are looked for, too
	conditions *conditions // of the function that is being read
	brief      *briefness
	evaluated  bool // Block.Exprs and Block.Points are wanted
}

// extract returns the blocks of fn as SSA has them, the entry first, and the function they belong to. The entry's
// first marker stands in the body of this function. extract returns none for functions that have no source.
func (x *extractor) extract(fn *ssa.Function) (*mark.Func, []*Block) {
	if len(fn.Blocks) == 0 {
		return nil, nil
	}
	x.conditions = newConditions()
	blocks := make([]*Block, len(fn.Blocks))
	for i, b := range fn.Blocks {
		blocks[i] = x.block(b)
	}
	for i, b := range fn.Blocks {
		x.connect(blocks, blocks[i], b)
	}
	entry := blocks[0]
	if len(entry.Places) == 0 || entry.Places[0] != entry.Places[0].Func.Opened {
		return nil, nil
	}
	return entry.Places[0].Func, blocks
}

// block reads what one SSA block holds, without its edges.
func (x *extractor) block(b *ssa.BasicBlock) *Block {
	block := &Block{trace: x.conditions.trace(b, x)}
	var last *mark.Place
	for i, instr := range b.Instrs {
		if x.evaluated {
			block.evaluates(instr, x.marker(instr) != nil)
		}
		if p := x.marker(instr); p != nil {
			if !x.allConstant(p.Operands) {
				block.Places = append(block.Places, p)
				block.Risks = append(block.Risks, nil)
				block.extend(p.From, p.To)
				last = p
			}
		} else if source, ok := x.iterators.runsIn(instr); ok {
			block.lastRisk().add(source)
		} else if mayPanic(instr) {
			block.lastRisk().add(x.sources.of(b.Instrs, i))
			block.trace = append(block.trace, x.call(instr, last)...)
		}
	}
	switch end := b.Instrs[len(b.Instrs)-1].(type) {
	case *ssa.Return:
		block.ends, block.endPos = table.Return, end.Pos()
	case *ssa.Panic:
		block.ends, block.endPos = table.CallPanic, end.Pos()
	case *ssa.If:
		if len(block.Places) == 0 {
			block.extend(end.Cond.Pos(), end.Cond.Pos())
		}
	}
	return block
}

func (b *Block) extend(from, to token.Pos) {
	if !from.IsValid() {
		return
	}
	if !b.From.IsValid() || from < b.From {
		b.From = from
	}
	if to > b.To {
		b.To = to
	}
}

// connect adds the edges out of b, whose SSA is s. Conditions that are constant, and those
// that are markers, leave one edge. So do the dead ends that go/ssa adds for what cannot
// happen, such as a select that no case matches.
func (x *extractor) connect(blocks []*Block, b *Block, s *ssa.BasicBlock) {
	live := func(i int) bool {
		to := s.Succs[i]
		_, panics := to.Instrs[len(to.Instrs)-1].(*ssa.Panic)
		return !panics || len(to.Preds) > 1 || len(blocks[to.Index].Places) > 0
	}
	branch, ok := s.Instrs[len(s.Instrs)-1].(*ssa.If)
	if !ok {
		for _, to := range s.Succs {
			first := &blocks[to.Index].RiskFirst
			*first = first.Join(x.iterators.runsAfter(b))
			connect(b, blocks[to.Index], table.Jump, token.NoPos)
		}
		return
	}
	known, value := x.decided(branch.Cond)
	test := newTest(branch.Cond)
	for i, to := range s.Succs {
		if known && (i == 0) != value || !live(i) {
			continue
		}
		kind := edgeKind(i == 0, to.Comment)
		if isOperand(s.Succs) {
			kind = condKind(i == 0)
		}
		e := connect(b, blocks[to.Index], kind, branch.Cond.Pos())
		e.trace = x.conditions.tested(branch, i == 0)
		if x.evaluated {
			e.Test, e.True = test, i == 0
		}
	}
}

// decided reports whether the condition is known, and its value.
func (x *extractor) decided(cond ssa.Value) (known, value bool) {
	switch c := cond.(type) {
	case *ssa.Const:
		return c.Value != nil && c.Value.Kind() == constant.Bool, c.Value != nil && constant.BoolVal(c.Value)
	case *ssa.ChangeType: // to a named boolean type
		return x.decided(c.X)
	case *ssa.BinOp: // mark.Expr(id) == 0; that which is compared by != is never a condition
		if call, ok := c.X.(*ssa.Call); ok {
			if p := x.marker(call); p != nil {
				return true, true
			}
		}
	}
	return false, false
}

// marker returns the place whose marker instr calls, or nil.
func (x *extractor) marker(instr ssa.Instruction) *mark.Place {
	call, ok := instr.(*ssa.Call)
	if !ok || !isMarkerCall(call) {
		return nil
	}
	id, _ := constant.Int64Val(call.Call.Args[0].(*ssa.Const).Value)
	return x.places[id]
}

// isMarkerCall reports whether a call is of a marker, and not of the initialisation of their package.
func isMarkerCall(call *ssa.Call) bool {
	callee := call.Call.StaticCallee()
	return callee != nil && callee.Pkg != nil && callee.Pkg.Pkg.Path() == mark.PkgPath && len(call.Call.Args) > 0
}

// allConstant reports whether a place is in an expression of which all operands are constants.
// Such an expression must stay constant: the compiler drops what it guards, which might
// not even link on this system.
func (x *extractor) allConstant(operands []ast.Expr) bool {
	for _, e := range operands {
		if !x.constant(e) {
			return false
		}
	}
	return len(operands) > 0
}

// constant reports whether e was constant before there were markers in it.
func (x *extractor) constant(e ast.Expr) bool {
	if x.info.Types[e].Value != nil {
		return true
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return x.constant(e.X)
	case *ast.UnaryExpr:
		return x.constant(e.X)
	case *ast.BinaryExpr:
		if e.Op == token.LAND || e.Op == token.LOR {
			return (mark.IsMarker(e.X) || x.constant(e.X)) && x.constant(e.Y)
		}
	}
	return false
}

// isOperand reports whether the blocks are those that go/ssa lets an operand of && or || branch
// to that is not the last one.
func isOperand(succs []*ssa.BasicBlock) bool {
	for _, to := range succs {
		switch to.Comment {
		case "cond.true", "cond.false", "binop.rhs", "binop.done":
			return true
		}
	}
	return false
}

func condKind(isTrue bool) table.EdgeKind {
	if isTrue {
		return table.CondTrue
	}
	return table.CondFalse
}

// edgeKind names an edge after the block that go/ssa made for its target.
func edgeKind(isTrue bool, target string) table.EdgeKind {
	switch {
	case target == "if.then":
		return table.IfThen
	case target == "if.else":
		return table.IfElse
	case strings.HasPrefix(target, "range") && isTrue:
		return table.RangeNext
	case strings.HasPrefix(target, "range") && strings.HasSuffix(target, ".done"):
		return table.RangeDone
	}
	return condKind(isTrue)
}

// mayPanic reports whether control may not get past instr (see Risk).
func mayPanic(instr ssa.Instruction) bool {
	switch instr := instr.(type) {
	case *ssa.Alloc, *ssa.Phi, *ssa.Jump, *ssa.If, *ssa.Return, *ssa.Extract, *ssa.DebugRef, *ssa.RunDefers,
		*ssa.ChangeInterface, *ssa.ChangeType, *ssa.Convert, *ssa.MakeInterface, *ssa.MakeClosure, *ssa.Field,
		*ssa.Range, *ssa.Next:
		return false
	case *ssa.MultiConvert:
		return hasArray(instr.Type())
	case *ssa.Call:
		b, ok := instr.Call.Value.(*ssa.Builtin)
		return !ok || !harmless[b.Name()]
	case *ssa.FieldAddr:
		return !isVariable(instr.X)
	case *ssa.UnOp:
		return instr.Op == token.ARROW || instr.Op == token.MUL && !isVariable(instr.X)
	case *ssa.Store:
		return !isVariable(instr.Addr)
	case *ssa.BinOp:
		return binOpMayPanic(instr)
	case *ssa.TypeAssert:
		_, isParam := types.Unalias(instr.X.Type()).(*types.TypeParam)
		return !instr.CommaOk && !isParam && types.IsInterface(instr.X.Type()) // unrotate has made the others
	}
	return true
}

// harmless are the built-in functions that always return. Append can fail, but
// then the process is out of memory.
var harmless = map[string]bool{
	"append": true, "cap": true, "complex": true, "copy": true, "imag": true, "len": true, "max": true, "min": true,
	"print": true, "println": true, "real": true, "recover": true, "ssa:deferstack": true,
}

// hasArray reports whether t, or a type of its type set, is an array or a pointer to one. A slice may be too short to be
// converted to it.
func hasArray(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Array:
		return true
	case *types.Pointer:
		_, ok := u.Elem().Underlying().(*types.Array)
		return ok
	case *types.Interface:
		for e := range u.EmbeddedTypes() {
			if hasArray(e) {
				return true
			}
		}
	case *types.Union:
		for term := range u.Terms() {
			if hasArray(term.Type()) {
				return true
			}
		}
	}
	return false
}

// isVariable reports whether v is the address of a variable or of a part of one.
func isVariable(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Alloc, *ssa.Global, *ssa.FreeVar:
		return true
	case *ssa.FieldAddr:
		return isVariable(v.X)
	}
	return false
}

func binOpMayPanic(b *ssa.BinOp) bool {
	switch b.Op {
	case token.QUO, token.REM, token.SHL, token.SHR:
		_, isConst := b.Y.(*ssa.Const)
		return !isConst
	case token.EQL, token.NEQ:
		_, basic := b.X.Type().Underlying().(*types.Basic)
		return !basic // interfaces may hold what cannot be compared
	}
	return false
}
