// Package tracer runs a program under ptrace(2), and has signals come where the program executes certain instructions.
//
// A breakpoint is an INT3 or a BRK over the beginning of an instruction. When a thread comes to it, what was there is put back:
// it stops nobody again. The thread goes on at the instruction with the signal that was asked for. So a signal can come at each
// instruction that is executed. The program is not much slower than it would be alone: nothing is single-stepped. A breakpoint
// that stays is stepped over, and other threads may pass meanwhile.
//
// Programs run on linux/amd64 and linux/arm64. On others the package runs nothing.
package tracer
