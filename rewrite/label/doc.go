// Package label inserts labels into the source of a package: line directives that give each piece of a function a file name of its own, and
// change nothing else. Positions take part in no optimization, so the machine code stays the same, and the line tables of the linked
// program tell which piece an instruction is of. Package restore gives the files their names back.
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
// where ⟨2 1:16⟩ is /*line /src/scan.go~gpi2:1:16*/. Lines and columns are those of the original, and so is the sequence of tokens.
//
// A piece is what control runs through as a whole: a run of statements without branches, an operand of && or ||. Tokens whose position the
// compiler gives to branches are pieces of their own: &&, ||, if, for, range, switch, select, case, and the values of cases. In a statement that
// has && or || outside of a condition, each token is one: what stands before the operator is executed after it, as the store of x = a && b.
//
// # Why the code stays the same
//
// Three things in the compiler look at positions. The scheduler and the order of operands prefer the position that comes first. The compiler numbers
// files in the order in which it reads them, which is that of the text, so that is kept. Columns above 255 are one; so a directive
// begins a line where Go allows a line to end, and the tokens behind it have small columns. Calls of panics for divisions and shifts are shared
// within a line of a file. And the mark of an inlined call is put on an instruction of the same line of the same file; if there is none it becomes a no-op. The
// last two differ where several pieces stand on one line.
//
// # Not handled
//
// Files that import "C" keep their text, and functions in them have no labels.
package label
