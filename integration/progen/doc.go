// Package progen generates random Go programs that say which way they go.
//
// [New] makes a [Program], which always terminates and always does the same. It is a
// module of packages whose functions use the statement and expression grammar as
// freely as will compile. Equal seeds give equal programs. A function looks like
//
//	func F3(x1, x2 int) (r4 int) {
//		a5 := tr.Enter(6)
//		for i7 := range 3 {
//			tr.T(a5, 8)
//			if tr.B(a5, 9, i7 > x1) &&
//				tr.B(a5, 10, tr.Q(2)) {
//				tr.T(a5, 11)
//				continue
//			}
//			tr.T(a5, 12)
//		}
//		tr.T(a5, 13)
//		return tr.E(x2)
//	}
//
// So the trace of package tr (activation a5 came by 6, 8, 9, 10 …) is the truth that a
// path profile is held against. Calls of Enter, T and B stand on lines of their own and
// have ids that are unique in the program: [Program.Sites] tells where.
//
// Iterators may panic, or end their goroutine, before, between and after yields and in deferred functions. They may
// recover what the body of the loop panics with, and go on when the loop has ended.
//
// No call of T or B is where the syntax gives its block no place of its own. That is behind a
// logical operation of the same statement (but in the operands of another). It also is in the
// expressions of a switch with a tag, and in post statements.
//
// Termination comes from counting at generation time. Every loop and every cycle of gotos has a
// counter of its own. Functions call only those before them (or themselves, with a depth). The
// product of all that is bounded for each function.
//
// Not generated: cgo, assembly, linkname, unsafe, data races, test files, multi-file
// packages, and anything whose order the language leaves open.
package progen
