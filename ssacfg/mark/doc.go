// Package mark finds the places of a Go file where code can be inserted. It inserts a marker at each place into the
// file's syntax tree.
//
// A marker is a call with a unique constant. The marker does nothing. In go/ssa it
// comes out in the one basic block that is executed whenever code inserted at the
// place would be. So source and control-flow graph are joined by construction. Lau,
// Arnold, Hind & Calder call such a thing a lightweight marker ("A loop correlation
// technique to improve performance auditing", section 4). Of
//
//	if a && b { x++ }
//
// the tree afterwards is that of
//
//	mark.Stmt(1); if a && mark.Expr(2) == 0 && b { mark.Stmt(3); x++; mark.Stmt(4) } else { mark.Stmt(5) }
//
// and each number has a [Place] that says what to write where in the
// original bytes. A marker in an expression is compared with 0, because a
// comparison is an untyped boolean, which goes with operands of any boolean type.
// The comparison needs no identifier that the file could have redeclared.
//
// The values of one clause are told apart by a fallthrough: of "case a, b: x++" the tree is that of
//
//	case a: mark.Stmt(1); fallthrough
//	case b: mark.Stmt(2); x++
//
// The markers are nodes, not text: parsing happens once, on the original bytes, and all
// positions stay the original ones.
//
// Not handled here: constant operands, and files that import "C". A && of constants is marked as any other; whoever has the types
// leaves it alone.
package mark
