package ssacfg

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/goprofinstr/goprofinstr/ssacfg/mark"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// Some paths of a function can never be executed: they need a condition to be true and, with nothing changed in between, false. What
// blocks and edges are known to do to the outcome of conditions is collected here, as traces, and goes with them wherever the graph is
// simplified. It is little and certain: conditions whose values follow from local variables that nothing but loads and stores of the function
// itself refers to, so that no call, goroutine or closure can change them.

// A step is something that happens on the way along a path: variable gets a value, condition is found to be so, or there is a call. Or control comes to a
// place, or executes instructions of some cost (timing.go).
type step struct {
	variable *ssa.Alloc
	value    ssa.Value // nil if it is not known; a variable that comes to life has its Alloc: zero

	condition *condition
	is        bool

	call *Call

	place *mark.Place
	cost  uint64
}

// A trace is the steps of a block or edge, in order.
type trace []step

// then returns the steps of several traces, one after the other.
func (t trace) then(next ...trace) trace {
	for _, n := range next {
		t = append(t[:len(t):len(t)], n...)
	}
	return t
}

// or returns what is known if either t or other has happened: what may have got a value and been called, and what it has cost at least.
func (t trace) or(other trace) trace {
	if slices.Equal(t, other) {
		return t
	}
	var either trace
	for _, s := range t.then(other) {
		if s.call != nil && !slices.Contains(either, s) {
			either = append(either, s)
			s.call.merged = s.call.merged || !slices.Contains(t, s) || !slices.Contains(other, s)
		}
		if s.variable != nil && !slices.ContainsFunc(either, func(e step) bool { return e.variable == s.variable }) {
			either = append(either, step{variable: s.variable})
		}
	}
	if cost := min(t.cost(), other.cost()); cost > 0 {
		either = append(either, step{cost: cost})
	}
	return either
}

// A condition is one whose value depends on variables only.
type condition struct {
	variables []*ssa.Alloc

	// If it is the comparison of one variable with a constant, "of op with"; op is ILLEGAL for a boolean variable by itself.
	of   *ssa.Alloc
	op   token.Token
	with *ssa.Const
}

// conditions are those of one function. Equal ones are one.
type conditions struct {
	all   []*condition
	known map[string]*condition
	local map[*ssa.Alloc]bool // whether a variable is one that only loads and stores refer to
}

func newConditions() *conditions {
	return &conditions{known: make(map[string]*condition), local: make(map[*ssa.Alloc]bool)}
}

// isLocal reports whether nothing but loads and stores refers to v.
func (c *conditions) isLocal(v *ssa.Alloc) bool {
	is, ok := c.local[v]
	if ok {
		return is
	}
	is = true
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.UnOp:
			is = is && r.Op == token.MUL
		case *ssa.Store:
			is = is && r.Addr == v && r.Val != v
		case *ssa.DebugRef:
		default:
			is = false
		}
	}
	c.local[v] = is
	return is
}

// trace returns what b does to local variables, what it costs, and the places in it.
func (c *conditions) trace(b *ssa.BasicBlock, x *extractor) trace {
	var t trace
	for _, instr := range b.Instrs {
		if p := x.marker(instr); p != nil {
			t = append(t, step{place: p})
			continue
		}
		t = t.withCost(x.costOf(instr))
		switch instr := instr.(type) {
		case *ssa.Alloc:
			if c.isLocal(instr) {
				t = append(t, step{variable: instr, value: instr})
			}
		case *ssa.Store:
			if v, ok := instr.Addr.(*ssa.Alloc); ok && c.isLocal(v) {
				t = append(t, step{variable: v, value: instr.Val})
			}
		}
	}
	return t
}

// tested returns what is known where the If at the end of a block has found its condition to be so.
func (c *conditions) tested(s *ssa.If, is bool) trace {
	e := expression{conditions: c, block: s.Block(), condition: new(condition)}
	key, negated := e.outcome(s.Cond)
	if !e.pure() {
		return nil
	}
	if c.known[key] == nil {
		c.known[key] = e.condition
		c.all = append(c.all, e.condition)
	}
	return trace{{condition: c.known[key], is: is != negated}}
}

// An expression reads a condition. Its keys are equal only if the values are.
type expression struct {
	*conditions
	block     *ssa.BasicBlock
	condition *condition
	impure    bool
}

func (e *expression) pure() bool { return !e.impure && len(e.condition.variables) > 0 }

// outcome returns the key of a condition or of what it negates.
func (e *expression) outcome(v ssa.Value) (key string, negated bool) {
	switch v := v.(type) {
	case *ssa.UnOp:
		if v.Op == token.NOT {
			key, negated = e.outcome(v.X)
			return key, !negated
		}
		if of, ok := v.X.(*ssa.Alloc); ok && v.Op == token.MUL {
			e.condition.of = of
		}
	case *ssa.BinOp:
		return e.comparison(v)
	}
	return e.key(v), false
}

// comparison is outcome for two operands. It says a < b and a == b only, if it can.
func (e *expression) comparison(b *ssa.BinOp) (key string, negated bool) {
	op, x, y := b.Op, b.X, b.Y
	if op == token.NEQ {
		op, negated = token.EQL, true
	}
	if total(x.Type()) && (op == token.GEQ || op == token.GTR) { // not a number is neither less nor not
		op, negated = map[token.Token]token.Token{token.GEQ: token.LSS, token.GTR: token.LEQ}[op], true
	}
	kx, ky := e.key(x), e.key(y)
	if load, ok := x.(*ssa.UnOp); ok && load.Op == token.MUL {
		if with, ok := y.(*ssa.Const); ok {
			if of, ok := load.X.(*ssa.Alloc); ok {
				e.condition.of, e.condition.op, e.condition.with = of, op, with
			}
		}
	}
	return fmt.Sprintf("(%s %s %s)", kx, op, ky), negated
}

// total reports whether of two values of t one is less or they are equal.
func total(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&(types.IsInteger|types.IsString) != 0
}

// key returns what tells v from other values, of which some may be equal to it. Types are told apart by address: those of different
// functions may have one name.
func (e *expression) key(v ssa.Value) string {
	switch v := v.(type) {
	case *ssa.Const:
		if v.Value == nil {
			return fmt.Sprintf("nil:%p", v.Type())
		}
		return fmt.Sprintf("%s:%p", v.Value.ExactString(), v.Type())
	case *ssa.UnOp:
		if of, ok := v.X.(*ssa.Alloc); ok && v.Op == token.MUL {
			return e.load(v, of)
		}
		if v.Op == token.SUB || v.Op == token.XOR || v.Op == token.NOT {
			return fmt.Sprintf("%s(%s)", v.Op, e.key(v.X))
		}
	case *ssa.BinOp:
		return fmt.Sprintf("(%s %s %s)", e.key(v.X), v.Op, e.key(v.Y))
	case *ssa.ChangeType:
		return fmt.Sprintf("%p(%s)", v.Type(), e.key(v.X))
	case *ssa.Convert:
		if isBasic(v.Type()) && isBasic(v.X.Type()) { // others copy what is in memory
			return fmt.Sprintf("%p(%s)", v.Type(), e.key(v.X))
		}
	case *ssa.MakeInterface:
		return fmt.Sprintf("%p(%s)", v.X.Type(), e.key(v.X))
	case *ssa.Call:
		if b, ok := v.Call.Value.(*ssa.Builtin); ok && (b.Name() == "len" || b.Name() == "cap") && fixedLength(v.Call.Args[0].Type()) {
			return fmt.Sprintf("%s(%s)", b.Name(), e.key(v.Call.Args[0]))
		}
	case *ssa.Extract:
		if a, ok := v.Tuple.(*ssa.TypeAssert); ok && v.Index == 1 {
			return fmt.Sprintf("%s.(%p)", e.key(a.X), a.AssertedType)
		}
	}
	e.impure = true
	return ""
}

// load is key for the value of a variable, which must not be another when it decides.
func (e *expression) load(load *ssa.UnOp, of *ssa.Alloc) string {
	if !e.isLocal(of) || load.Block() != e.block && !settled(of) {
		e.impure = true
		return ""
	}
	for _, instr := range slices.Backward(load.Block().Instrs) {
		store, ok := instr.(*ssa.Store)
		if instr == ssa.Instruction(load) {
			break
		}
		if instr == ssa.Instruction(of) || ok && store.Addr == of {
			e.impure = true
		}
	}
	if !slices.Contains(e.condition.variables, of) {
		e.condition.variables = append(e.condition.variables, of)
	}
	return fmt.Sprintf("%p", of)
}

// settled reports whether a variable gets no values but in the function's first block. The tag of a switch is read before the first
// clause, and compared in blocks of their own.
func settled(v *ssa.Alloc) bool {
	first := v.Parent().Blocks[0]
	for _, r := range *v.Referrers() {
		if store, ok := r.(*ssa.Store); ok && store.Block() != first {
			return false
		}
	}
	return v.Block() == first
}

func isBasic(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() != types.UnsafePointer
}

// fixedLength reports whether the length of a value of t is part of the value.
func fixedLength(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&types.IsString != 0
	case *types.Slice, *types.Array:
		return true
	}
	return false
}

// given returns the outcome of c if its variable has a value.
func (c *condition) given(value ssa.Value) (is, known bool) {
	switch {
	case c.of == nil || value == nil:
		return false, false
	case c.op == token.ILLEGAL || c.with.Value != nil:
		v, ok := constantOf(value)
		switch {
		case !ok:
			return false, false
		case c.op == token.ILLEGAL:
			return constant.BoolVal(v), v.Kind() == constant.Bool
		}
		return compare(v, c.op, c.with.Value)
	case c.op == token.EQL: // with nil
		if value == ssa.Value(c.of) { // it comes to life
			return true, true
		}
		return isNil(value)
	}
	return false, false
}

// compare compares constants that are exact.
func compare(x constant.Value, op token.Token, y constant.Value) (is, known bool) {
	if x.Kind() != y.Kind() {
		return false, false
	}
	switch x.Kind() {
	case constant.Int, constant.String:
		return constant.Compare(x, op, y), true
	case constant.Bool:
		return constant.Compare(x, op, y), op == token.EQL
	}
	return false, false
}

// constantOf returns the value of a boolean, integer or string that is always the same.
func constantOf(v ssa.Value) (constant.Value, bool) {
	t := v.Type()
	c, isConst := v.(*ssa.Const)
	if a, ok := v.(*ssa.Alloc); ok {
		t = a.Type().Underlying().(*types.Pointer).Elem()
	}
	b, ok := t.Underlying().(*types.Basic)
	if !ok {
		return nil, false
	}
	if isConst {
		ok := c.Value != nil && b.Info()&(types.IsBoolean|types.IsInteger|types.IsString) != 0
		return c.Value, ok
	}
	if _, ok := v.(*ssa.Alloc); !ok {
		return nil, false
	}
	switch {
	case b.Info()&types.IsBoolean != 0:
		return constant.MakeBool(false), true
	case b.Info()&types.IsInteger != 0:
		return constant.MakeInt64(0), true
	case b.Info()&types.IsString != 0:
		return constant.MakeString(""), true
	}
	return nil, false
}

// isNil reports whether a value that is stored is nil, as far as that is known.
func isNil(v ssa.Value) (is, known bool) {
	switch v := v.(type) {
	case *ssa.Const:
		return v.Value == nil, v.Value == nil
	case *ssa.Alloc, *ssa.MakeInterface, *ssa.MakeClosure, *ssa.MakeMap, *ssa.MakeChan, *ssa.MakeSlice, *ssa.Function:
		return false, true
	}
	return false, false
}

// mostConditions is how many conditions the facts of a function may be about. Most have less than ten; generated ones with more are not worth the
// time.
const mostConditions = 256

// Facts returns what is known of conditions on each edge and in the block that it leaves, as [table.Function] has it; nil if that excludes
// no path.
func (fn *Func) Facts() [][]table.Fact {
	g := fn.Graph
	if n := len(g.conditions.all); n == 0 || n > mostConditions {
		return nil
	}
	facts := make([][]table.Fact, len(g.Edges))
	for i, e := range g.Edges {
		facts[i] = g.conditions.facts(e.From.trace.then(e.trace))
	}
	conflicts := fn.conflicts(facts)
	if len(conflicts) == 0 {
		return nil
	}
	number := make(map[int]int)
	for i, list := range facts {
		var kept []table.Fact
		for _, f := range list {
			if !conflicts[f.Condition()] {
				continue
			}
			n, ok := number[f.Condition()]
			if !ok {
				n = len(number)
				number[f.Condition()] = n
			}
			kept = append(kept, f.Of(n))
		}
		facts[i] = shorten(kept)
	}
	return facts
}

// shorten leaves out what is forgotten on the edge that it became known on.
func shorten(facts []table.Fact) []table.Fact {
	var short []table.Fact
	for i, f := range facts {
		forgets := func(g table.Fact) bool { return g == table.Forget(f.Condition()) }
		if !slices.ContainsFunc(facts[:i+1], forgets) || !slices.ContainsFunc(facts[i+1:], forgets) {
			short = append(short, f)
		}
	}
	return short
}

// facts returns what a trace says of conditions, by their index.
func (c *conditions) facts(t trace) []table.Fact {
	var facts []table.Fact
	for _, s := range t {
		for i, cond := range c.all {
			switch {
			case s.call != nil:
			case s.condition == cond:
				facts = append(facts, table.NewFact(i, s.is))
			case s.condition != nil && s.is && s.condition.op == token.EQL && s.condition.of == cond.of:
				if is, known := cond.given(s.condition.with); known {
					facts = append(facts, table.NewFact(i, is))
				}
			case s.variable != nil && slices.Contains(cond.variables, s.variable):
				if is, known := cond.given(s.value); known && s.variable == cond.of {
					facts = append(facts, table.Forget(i), table.NewFact(i, is))
				} else {
					facts = append(facts, table.Forget(i))
				}
			}
		}
	}
	return facts
}

// conflicts returns the conditions that some path needs to be true and false at the same time.
func (fn *Func) conflicts(facts [][]table.Fact) map[int]bool {
	g := fn.Graph
	conflicts := make(map[int]bool)
	known := make([]map[table.Fact]bool, len(g.Blocks)) // at the beginning of each block, on some path
	for i := range known {
		known[i] = make(map[table.Fact]bool)
	}
	for changed := true; changed; {
		changed = false
		for i, e := range g.Edges {
			at := make(map[table.Fact]bool)
			for f := range known[e.From.index] {
				at[f] = true
			}
			for _, f := range facts[i] {
				c := f.Condition()
				if !f.Forgets() && at[f.Opposite()] {
					conflicts[c] = true
				}
				delete(at, f)
				delete(at, f.Opposite())
				if f.Forgets() {
					delete(at, table.NewFact(c, true))
					delete(at, table.NewFact(c, false))
				} else {
					at[f] = true
				}
			}
			if fn.Numbering.Cut[i] {
				continue
			}
			to := known[e.To.index]
			for f := range at {
				changed = changed || !to[f]
				to[f] = true
			}
		}
	}
	return conflicts
}
