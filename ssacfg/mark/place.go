package mark

import (
	"go/ast"
	"go/token"
)

// Place is a place in a source file where code can be inserted.
type Place struct {
	ID   int // the number of its marker
	Kind PlaceKind
	Func *Func // innermost enclosing function
	Role Role

	Pos token.Pos // where text is inserted
	End token.Pos // Wrapped, Cond, True and False: where the closing text is inserted

	// Where several texts are inserted at one position, they stand in the order of these.
	Order, EndOrder int

	// The source that control runs through from the place on, up to the next branch or place. NoPos where there is
	// none (an if without else).
	From, To token.Pos

	// Header is the range statement whose body starts at the place, if one does. The block that enters such a body
	// has no place or position of its own.
	Header *ast.RangeStmt

	Stmts int // how many statements Go's coverage says there are in the run of them that starts here

	// The operands of the expression that the place is in, if it is in one. If all of them are constants, so was the
	// expression, and must stay it.
	Operands []ast.Expr

	// The condition that the place is in, if what is evaluated at the place decides where control goes. An Else has the
	// condition of its if statement.
	Condition *Condition
}

// StartsRun reports whether a run of statements starts at the place.
func (p *Place) StartsRun() bool { return p.Kind == Stmt || p.Kind == Wrapped }

// PlaceKind says how code is inserted at a place.
type PlaceKind int

// The kinds of places. In the comments CODE are statements and EXPR is
// an expression that does the same and is true.
const (
	Stmt    PlaceKind = iota // "CODE;" before a statement, or at the start of a statement list
	After                    // ";CODE" after the last statement of a list
	Else                     // " else {CODE}" after the body of an if statement without else
	Default                  // ";default:CODE" before the closing brace of a switch without default
	First                    // "default:CODE", the same in a switch without any clause
	Wrapped                  // "{CODE;" before the if statement of an else-if, "}" after it
	Expr                     // "EXPR&&" before the second operand of && or ||
	Cond                     // "EXPR&&(" and ")" around a condition in a switch without tag
	True                     // "(" and ")&&EXPR" around a logical operation in a return or post statement: EXPR runs if it is true
	False                    // "(" and ")||!(EXPR)" around it: EXPR runs if it is false
	Value                    // ":CODE fallthrough;case " in place of the comma after a value of a clause
)

// InExpression reports whether code at places of the kind is an expression.
func (k PlaceKind) InExpression() bool {
	switch k {
	case Expr, Cond, True, False:
		return true
	}
	return false
}

// Role says what starts at a place, where the kind alone does not.
type Role int

// The roles of places.
const (
	NoRole      Role = iota
	CaseBody         // of a switch
	DefaultBody      // of a switch or select
	CommBody         // of a select
)

// Func is a function with a body.
type Func struct {
	Node   ast.Node // *ast.FuncDecl or *ast.FuncLit
	Outer  *Func    // that a literal is in, if any
	Name   string   // as the Go runtime names it, without the package: "(*T).F.func1"
	Blank  bool     // declared as _, or inside such a function: never runs
	Body   *ast.BlockStmt
	Opened *Place // at the start of the body

	// Untyped is the name that File gives it: all literals are counted, also those that the compiler drops. See Number.
	Untyped string
}

// File is a file with markers in its syntax tree.
type File struct {
	Syntax *ast.File
	Funcs  []*Func // in source order
}
