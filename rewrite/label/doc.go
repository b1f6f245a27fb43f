// Package label inserts labels into the source of a package. A label is a line directive that gives a piece of a
// function a file name of its own. Nothing else changes. Positions take part in no optimization. So the machine code
// stays the same, and the line tables of the linked program tell which piece an instruction is of. Package restore
// gives the files their names back.
//
//	for i < len(b) && b[i] != c {
//		i++
//	}
//
// becomes, with each directive written as its label and its position,
//
//	⟨0 1:1⟩for ⟨1 1:5⟩i < len(b) ⟨2 1:16⟩&& ⟨3 1:19⟩b[i] != c {
//		⟨4 2:2⟩i++
//	}
//
// where ⟨2 1:16⟩ is /*line /src/scan.go~gpi2:1:16*/. Lines and columns are those of the original, and so is the
// sequence of tokens.
//
// # Pieces
//
// Control runs through a piece as a whole: it is a run of statements without branches, or an operand of && or ||. So
// all of it is in one block of a graph. Which one, any of its tokens may tell; the first is often none that is
// evaluated.
//
// Tokens whose positions the compiler gives to branches are pieces of their own. They are &&, ||, if, for, range,
// switch, select, case, and the values of cases. So is each token of a statement with && or || that is not a
// condition. What stands before the operator is executed behind it, as the store of x = a && b.
//
// # Why the code stays the same
//
// Few places in the compiler look at positions, and this is what becomes of them.
//
//   - The scheduler prefers the value whose position is first, and so do rules that put operands in order. Positions
//     are ordered by file first, and files by when the compiler meets them. It reads functions in the order of the
//     text, so that is kept, but for some variables and their uses.
//   - Positions behind column 255 are the same. A directive is some hundred columns long. It begins a line of its own
//     wherever Go allows a line to end, and so the tokens behind it have small columns.
//   - Divisions and shifts on one line of a file share the call that panics. They do not if they are in several pieces.
//   - An inlined call is marked by an instruction of the same line of the same file. If there is none a no-op is
//     inserted. There are more of them if several pieces stand on one line.
//
// # Comments
//
// The last comment in the body of an example says what it prints. No directive comes behind it. An example
// that goes on behind it has no labels.
//
// # Not handled
//
// Files that import "C" keep their text, and functions in them have no labels. Nor have they in files whose names
// cannot be written in a line directive.
package label
