// Package inline has the compiler go on inlining the calls that it inlines without
// our code.
//
// The compiler inlines functions of a cost of up to 80, and code that counts makes many small functions cost more. Calls that a
// profile calls hot may cost more (go help build, -pgo). So each package gets a profile that calls hot what the compiler inlines
// in the user's own code. That it tells itself, with -m:
//
//	# example.com/m/p
//	./p.go:3:6: can inline small
//	./p.go:9:14: inlining call to small
//
// [Parse] reads this. [Edges] makes of it that small may be inlined, and that it shall be in what function is at line 9:
//
//	caller example.com/m/p.F, callee example.com/m/p.small, line 9 - 8 behind the start of F
//
// and package pgofile writes these edges in the format of pprof. [Lost] compares what the compiler says about the user's code and
// about ours.
//
// Only calls of functions in instrumented packages are written: others cost what they always did.
//
// A [Source] may be partial: only the instrumented packages have been compiled with -m. Then calls in other files, such as tests,
// are found by the names of inlinable functions (named.go).
//
// Not handled, and so lost where the function called has become too large:
//   - calls in generic functions that are not inlinable themselves: the compiler names each instance of them, and -m tells only
//     the names of inlinable ones;
//   - calls in the body of a range over a function that is a function of its own;
//   - calls in the functions that the compiler makes for embedded methods and for pointers to values;
//   - calls in the initial values of package variables, which are in a function that the compiler makes;
//   - functions that contain more than 5000 nodes with our code: into these the compiler inlines hardly anything, hot or not.
package inline
