// Package base puts functions as they were at an earlier commit, the base, into a package as it is now, the head, for
// both to be compiled into one program and to be audited against each other. Of
//
//	func Parse(s string) int { return scan(s, 8) }     // the base
//	func Parse(s string) int { return scan(s, 16) }    // the head
//
// [Pairing.Pair] makes a file that is added to the package:
//
//	//goprofinstr:variant of=Parse
//	//line parse.go:3:1
//	func base_Parse(s string) int { return scan(s, 8) }
//
// Which declarations a copy needs follows from what the base and the head have of them:
//
//   - What is the same in both is shared. So is a function with another body: a copy calls its dispatcher, and each
//     function is judged by its own change.
//   - What is not there at the head, constants of another value, functions of another signature, types of other fields and
//     variables with another initialiser are copied, too, with all that leads from the copy to them. A function that
//     is the same but for what it needs so is audited with them.
//   - A small function that the compiler inlines is copied, and those that call it are audited.
//
// Not everything can be had twice in one program. A function is not compared, and listed with the reason, if its copy needs
//
//   - a variable that is written, in init and through calls, too, or whose initialiser calls what may not run twice;
//   - a variable with a channel, pointer or interface value that others may know;
//   - a field that only one of the two has, of a type that is shared;
//   - what another package has at the base only, or a package that is not there any more;
//   - a type by which values are told, such as a key of a context, if it changed: both sides have that of the head;
//   - a type that a function declares, and by which values are told.
//
// The copies are type-checked beside the head. One that does not compile there is left out, with the error for a reason. So is
// one that means something else there: it calls the builtin min, and the head declares a function of that name.
//
// Code is faster at some places in memory than at others. So an audited function has several copies of each side, the head
// itself among them, each at another place, as package placement has them:
//
//	func base_2_Parse(s string) int {if base_never{base_never=false}; return scan(s, 8) }
//	func base_2h_Parse(s string) int {if base_never{base_never=false}; return scan(s, 16) }
//
// Comments, layout and the names of what is local are no change.
//
// Not handled: test files; what functions in files that import "C" call there; functions that differ in comments for the
// compiler only; methods of a shared type that one of the two has not, and that others look for, as io.Copy does for WriteTo.
package base
