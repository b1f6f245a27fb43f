// Package machine reads the machine code of linked programs: instructions, control-flow graphs, and what in them is evidence of
// the source.
//
// An [Image] is an executable for linux/amd64 or linux/arm64 with its symbols and DWARF. It has a [Function] for each function
// that is of a package, or that has calls inlined of functions that are. [Image.Build] decodes one and makes its graph:
//
//   - A conditional jump has two edges: 0 where it is taken, 1 where it is not.
//   - An indirect jump is one through a table (LEAQ table(SB), R; JMP (R)(I*8)). Edge k is that of the table's entry k, so that
//     several edges may lead to one block. On arm64 it is MOVD (R)(I<<3), R27; JMP (R27).
//   - A call that never returns ends its block, which has no edges.
//   - A call that may panic ends its block, too: what is behind it may never be executed.
//
// Of each instruction it says by its [Kind] whether its position in the source can be believed. The compiler moves, joins and
// makes again what computes, but neither stores, calls and returns nor conditional jumps. So these are evidence of where control
// is, and a compare is not. In package sort the jump of "if i > j" has the compare of the loop's "i <= j".
//
// What instructions do is known by the same names for both architectures: [Compare], [Relation], [Set]. On arm64 jumps compare,
// too (CBZ, TBZ). Such a jump has no compare whose position could be held against its own, and is believed less.
//
// # What is not handled
//
// Position-independent programs, code of other assemblers than Go's, and other architectures. Programs without DWARF are refused.
package machine
