// Package tracer runs a program under ptrace(2), and has signals come where the program executes certain instructions.
//
// A breakpoint is an INT3 over the first byte of an instruction. When a thread comes to it, the byte is put back, so that it
// stops nobody again. The thread goes on at the instruction with the signal that was asked for. So a signal can come at each
// instruction that is executed. The program is not much slower than it would be alone: nothing is single-stepped. A breakpoint
// that stays is stepped over, and other threads may pass meanwhile.
//
// It is for linux/amd64. Elsewhere the package is empty.
package tracer
