// Package copies makes copies of the machine code of functions which note where paths go. What a plan (package pathmap) says of
// an edge becomes a record there. Nothing of the original changes; package rt/copies has threads change over and back.
//
//	original                    copy
//	401000  CMPQ BX, CX         CMPQ BX, CX
//	401003  JLE 401010          JLE edge                    to code behind the function, where the edge has a record
//	                            note site 7                 the other edge
//	401005  CALL f              CALL f's copy
//	                            CMPQ $0, 0(FS); JE 40100a   the burst is over
//	40100a  ADDQ $8, SP         ADDQ $8, SP
//	                            note site 8                 the path ends
//	40100e  RET                 RET
//
// A record is
//
//	MOVQ AX, 8(FS)
//	MOVQ 0(FS), AX
//	MOVL $site, (AX)
//	MOVL SP, 4(AX)
//	LEAQ 8(AX), AX
//	MOVQ AX, 0(FS)
//	MOVQ 8(FS), AX
//
// With C code the words of the thread are elsewhere from FS (words.go).
//
// A look has the value of a register or a condition, too. That is written first, by MOVQ CX, 8(AX) or by MOVQ $0, 8(AX) and
// SETcc 8(AX), and the record is longer by 8 bytes. Where AX is the register that is looked at, CX takes its place.
//
// A record changes no flag and no register, and the stack stays as it is. The copy has the frame of the original, and each
// instruction has the same registers and flags before it. What calls return to is in the copy, and a table says which
// instruction of the original that is (copies.Origin).
//
// Where a machine block has several nodes in a plan, each edge to and from it has a record, and what that means depends on the
// node (copies.Step). So no code is there twice.
//
// Functions that count nothing have copies, too, where a thread passes through on the way to what does (transit.go). Functions
// may begin cold: then calls ask whether there is a window (cold.go).
//
// On arm64 records are others (arm64.go). Why they are so is in docs/design/copies-arm64.md.
//
// # What is as in the original
//
//   - Calls that never return are jumps to the original's call: what panics is read from tables by its return address.
//   - Function values, and calls of what has no copy. An indirect call looks up the copy of what it calls (indirect.go).
//   - A jump through a table goes through another table in the copy. A thread may change over between the instruction
//     that has loaded the table's address and the jump. Then it changes over once more, by the jump.
//   - Flags are dead behind calls, but for those of duffzero and of write barriers. There nothing is tested.
//
// # What is declined
//
// Functions that cannot be decoded, that have jumps of other forms, that call what saves the caller's address for system calls,
// that set the stack pointer, and assembly that uses flags behind a call. Where a plan loses its way, or looks leave several, the
// path is in doubt and is not counted (Doubt).
package copies
