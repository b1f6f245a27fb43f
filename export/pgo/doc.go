// Package pgo makes profiles for the Go compiler's profile-guided optimisation (go build -pgo) of counts. The counts
// are those of one profile ([Write]), or of many runs of several builds, as production has them ([Make]).
//
// The compiler finds a call by three things. They are the caller, the callee, and the line of the call from the line
// on which the caller starts. So a line that is inserted above a call loses it. Make knows the calls of all builds by
// their path tables, and carries the counts of older builds over to the newest one. For
//
//	old:                         new:
//	0	func Total(o *Order) {       0	func Total(o *Order) {
//	1		check(o)                     1		if o == nil {
//	2		add(o)                       2			return
//	3		add(tax(o))                  3		}
//	4	}                            4		check(o)
//	                             5		add(o)
//	                             6		add(tax(o))
//	                             7	}
//
// the compiler would find none of four calls. Total has a counterpart by its name; a function whose name is gone has
// the one that has the same graph (package compare). In the order of lines, the calls that both have are check, add,
// add, tax. Their longest common subsequence tells that check has moved from line 1 to 4, and so on.
//
// The steps are, a file each:
//
//	latest.go   which functions the profile is for: those of the latest build
//	match.go    which function of an older build is which of these
//	sites.go    which call in one is which call in the other
//	tally.go    adds up the counts of each service's runs
//	make.go     the services by their weights, and what comes out
//	graph.go    names of symbols, and instances of generic functions
//	cpu.go      calls that no count tells of, from a CPU profile
//	contexts.go or from the stacks of sampled runs
//	moved.go    whether it is worth a new file
//	text.go     what is said about it
//
// # Not handled
//
// A module whose path has changed, as from m to m/v2, has other functions: nothing is found. A function that was
// divided into two, or moved into another, has lost the calls that went with it. Function literals are known by their
// number, and so those behind an inserted one are taken for each other.
//
// Code that was not instrumented has no tables. Its lines on the stacks of older builds are taken as they are, those of
// another release of Go or of a dependency, too. Symbols of more than a kilobyte, as instances of generic functions may have,
// are cut on stacks, and the compiler does not know them.
package pgo
