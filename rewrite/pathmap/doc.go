// Package pathmap relates the branches of machine code to the edges of graphs of the source. From what the machine does it tells
// which numbered paths (package pathnum) were executed, without any code in the program that counts.
//
// What joins both is the line table. Each piece of a source has a label there (package label), so that an instruction says which
// piece it is of. go/ssa says in which block of the graph that piece is evaluated: a piece is in the block of any of its tokens.
// Instructions whose positions can be believed (machine.Kind) are evidence. A [Target] is a function of the source in the code of
// a machine function. It is the function itself, or a call of it that was inlined. A Target walks through the product of both
// graphs: a state is a machine block, and the source block of the last evidence. From one piece of evidence to the next the path
// in the source leads through blocks of which there is no evidence anywhere. Mostly there is just one such path:
//
//	source          machine         evidence     edges of the source
//	0  a[i] = x     MOVQ …, (AX)    store: 0
//	   if x > y {   CMPQ BX, CX
//	                JLE 3           jump: 0
//	1    f()        CALL f          call: 1      0→1
//	   }
//	2  return       RET             return: 2    0→2 or 1→2
//
// Where there are several the machine code does not tell them apart, or not by evidence.
//
// # Rules
//
//   - Evidence is the position of stores, calls, returns and conditional jumps themselves. It is never that of a compare or move.
//   - A condition that has no jump of its own anywhere is joined with the next. Then a jump of the second says nothing of either
//     (range tests, which are one subtraction and one jump).
//   - A jump behind an operand of && or || bears the operator's token: it is of the operand on the left.
//   - Which edge a side of a jump is follows from what the jump asks, or from what the side leads to. Then the other side is the
//     other edge. A jump that leads to another one of the same block is about a part of what is evaluated there.
//   - What computes is no evidence. That a block was seen computing does not say that control is there. It does tell the sides of
//     a branch right in front, if nothing else does.
//   - Each jump of a switch says for what constants it goes where.
//   - The test that control is led past, since its outcome is known there, is evidence behind a jump of which the side is known.
//   - Where nothing tells how often a loop goes round there are several paths.
//
// Calls that were inlined without any evidence are left to package derive.
package pathmap
