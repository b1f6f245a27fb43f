package profile

import (
	"cmp"
	"slices"

	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// A Condition is a two-way decision. It is an operand of && or ||, or the condition of an if or for statement. It may
// also be a value or condition of a switch clause, or a communication of a select statement.
//
// Not every one in the source has its own. The last operand of && and || decides nothing where the value is not that of a
// condition (x := a && b). What is constant is no decision. Of values of one clause that are not told apart (see
// table.Function.Merged) there is one for all.
type Condition struct {
	Kind        ConditionKind
	Line, Col   int   // of its operator or, where it has none, of itself; of the clause's body where that is not known
	True, False int64 // how often it was found so; not counting how it came out of calls that never returned

	NeverTrue, NeverFalse bool // it is known that it never was; if it is not, but was not seen to be, it may have been
}

// Outcomes returns how many of true and false c was.
func (c *Condition) Outcomes() int {
	n := 0
	if c.True > 0 {
		n++
	}
	if c.False > 0 {
		n++
	}
	return n
}

// Never returns how many of true and false c is known never to have been.
func (c *Condition) Never() int {
	n := 0
	if c.NeverTrue {
		n++
	}
	if c.NeverFalse {
		n++
	}
	return n
}

// ConditionKind says what depends on a condition.
type ConditionKind string

// The kinds of conditions.
const (
	IfCondition     ConditionKind = "if"     // the last operand of an if statement's condition
	Operand         ConditionKind = "cond"   // another operand of && or ||, or the condition of a for statement
	SwitchCondition ConditionKind = "case"   // a value or condition of a switch clause: true where it is the first that matches
	SelectCondition ConditionKind = "select" // a communication of a select statement: true where it is chosen
)

var conditionKinds = map[table.EdgeKind]ConditionKind{
	table.IfThen:     IfCondition,
	table.IfElse:     IfCondition,
	table.CondTrue:   Operand,
	table.CondFalse:  Operand,
	table.SwitchCase: SwitchCondition,
	table.SelectCase: SelectCondition,
}

// Conditions returns the conditions of f in source order. It is nil for declined functions.
//
// The edges out of a block stand in the order of its tests. Each but the last is taken where the
// test is true, and all that follow where it is false. A condition that is negated is therefore
// counted without its "!". An edge of kind cond.false that is not the last is taken where its test is
// false. Of a in a clause "!(a || b), c" there may be such an edge only. No condition is told by it.
func (f *Function) Conditions() []Condition {
	var list []Condition
	for _, d := range f.Decisions() {
		list = append(list, d.Condition)
	}
	return list
}

// A Decision is a Condition with the edges that are taken where it is true, and where it is false.
type Decision struct {
	Condition
	Then int
	Else []int
}

// Decisions returns the Conditions of f with their edges.
func (f *Function) Decisions() []Decision {
	if f.Declined() {
		return nil
	}
	out := make([][]int, len(f.Table.Blocks))
	for id, e := range f.Table.Edges {
		out[e.From] = append(out[e.From], id)
	}
	missed := f.mayMiss()
	var list []Decision
	for _, ids := range out {
		if len(ids) < 2 {
			continue
		}
		rest := int64(0)
		for _, id := range ids {
			rest += f.Edges[id]
		}
		for i, id := range ids[:len(ids)-1] {
			e := f.Table.Edges[id]
			rest -= f.Edges[id]
			kind, ok := conditionKinds[e.Kind]
			if e.Kind == table.SwitchDefault { // where !c is the last condition of a switch without a tag
				kind, ok = SwitchCondition, e.Line > 0
			}
			if !ok || e.Kind == table.CondFalse { // the header of a range statement; or taken where the test is false
				continue
			}
			c := Condition{Kind: kind, Line: e.Line, Col: e.Col, True: f.Edges[id], False: rest}
			c.NeverTrue = c.True == 0 && f.known(missed, ids[i:i+1])
			c.NeverFalse = c.False == 0 && f.known(missed, ids[i+1:])
			if c.Line == 0 {
				c.Line, c.Col = f.Table.Blocks[e.To].Line, f.Table.Blocks[e.To].Col
			}
			list = append(list, Decision{c, id, ids[i+1:]})
		}
	}
	slices.SortStableFunc(list, func(a, b Decision) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
	})
	return list
}

// Known is what is known of conditions at a place on a path: by number, whether they are true.
type Known map[int]bool

// Take adds what is known after an edge of f, and reports whether it can be taken at all.
func (k Known) Take(f *Function, edge int) bool {
	if f.Table.Facts == nil {
		return true
	}
	for _, fact := range f.Table.Facts[edge] {
		c := fact.Condition()
		if fact.Forgets() {
			delete(k, c)
			continue
		}
		is := fact == table.NewFact(c, true)
		if was, ok := k[c]; ok && was != is {
			return false
		}
		k[c] = is
	}
	return true
}

// Infeasible tells that no execution can take the edges of a path, or part of one, one after the other. A condition would have to
// be true and false with nothing changed in between. Other paths may be infeasible, too, for reasons that are less simple.
func (f *Function) Infeasible(edges []int) bool {
	known := make(Known)
	for _, id := range edges {
		if !known.Take(f, id) {
			return true
		}
	}
	return false
}

// KindOf returns what kind of condition decides about edges of a kind; ok is false if none does.
func KindOf(kind table.EdgeKind) (of ConditionKind, ok bool) {
	of, ok = conditionKinds[kind]
	return of, ok
}
