// Package link makes counting copies for a program that has been linked. It maps the machine code of packages with labels
// (package pathmap), copies it (package copies), puts the copies behind the program, and restores the names of files (package
// restore).
//
//	wrap           a Record for each package that is counted: its labels, and its functions with their numbers of paths
//	the program    a descriptor for each (rt/copies.Package): where the estimates of its functions are
//	the linker     a list of archives (-importcfg), from which types come
//
// A function is left out if it cannot be mapped or copied. The program then says why (rt/copies.Uncounted). So it is if what maps
// and copies has failed at it.
//
// The map needs symbols and DWARF. [Arguments] has the linker write both, and [Attach] takes them away again if nobody wants
// them.
//
// # Not handled
//
// What is not handled by packages machine and copies: position-independent programs, C code that has variables of threads which
// begin with a value or that may handle SIGSEGV (faults.go), and anything but linux/amd64 and linux/arm64.
package link
