// Package derive says how often functions are executed of which the machine code has no evidence, from where the source
// calls them.
//
// A call that was inlined may leave no instruction, or none that is evidence. Then nothing in the machine code tells that
// the function was executed. The source does: the call is executed as often as the block that it is in.
//
//	func (r *ring) full() bool { return r.n == len(r.data) }   one path, no evidence
//
//	func (r *ring) put(b byte) {
//		if r.full() {          block 0 is executed 7 times, and so is full
//			r.grow()
//		}
//		...
//	}
//
// [Program.Find] goes through the calls that were inlined into machine functions, which DWARF has, and through the calls of
// the source. A call of the source is one of these:
//
//   - There is a CALL instruction at its place. Then the function's own code runs, and counts.
//   - There is an inlined call at its place. If that leaves evidence, that counts. Where one way through the function
//     has no evidence, its executions are those of the block, without those of which there was evidence. A function
//     of one path is executed as often as the block in any case.
//   - There is neither. Then the compiler has folded the call away, if it can inline the function at all. So it has with
//     calls in code that is never executed, and these are executed no times.
//
// What Find returns are sums of events, as that control leaves a block of a target. They serve twice. [Found.Count] puts in
// what walkers have counted. [Found.Executions] has plans count at the edges where the events are (pathmap.Target.Plan).
//
// What is executed without evidence, and whose number is not known, is open: a [Share] or a [Count] says why.
//
// # Return statements
//
// A path ends in front of its return statement, as exact mode has it. So a call in the statement is not executed as often as
// its block if something in front of it may panic there:
//
//	return newBox(n, fails(n))   newBox is executed as often as control comes back from fails
//	return small(list[n])        small is executed as often as control passes the check of n
//
// What may panic is seen in the machine code: calls, and what failed checks call. Where none of these in front comes last, it
// is not known how often the inlined one is executed. Then it counts by its own evidence, or is open.
//
// # Calls that the source does not tell
//
// Wrappers call the function that they are named after once: those of generic functions with dictionaries, of methods of
// embedded fields, of methods of values by pointers, and of go and defer statements. Calls of function values and by
// interfaces may be inlined, too. If such a call is nowhere in the machine code, each function that it may have been is
// open.
//
// # Not handled
//
// A nil pointer that is followed in a return statement, in front of a call there, has that call count.
//
// A function that panics in the middle of a block executes it in part. Its calls count when control leaves the block, so
// those in front of the panic are missing. Nothing is known of code without labels. What is inlined there without evidence is
// open, unless that code was never entered. What is folded away there is not noticed.
package derive
