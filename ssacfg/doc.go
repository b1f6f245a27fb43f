// Package ssacfg builds the control-flow graphs of a package's functions from
// go/ssa. For each edge it finds the place in the source where code on the
// edge can be written.
//
// [Analyze] is the whole of it, in this order:
//
//	mark      every place where code could go, in the syntax tree   package mark
//	check     the marked files' types                               go/types
//	name      function literals, as the compiler numbers them       dropped.go
//	unrotate  loops whose SSA differs from their source             unrotate.go
//	build     SSA                                                   go/ssa
//	extract   blocks, edges, the markers in each block, and what can fail there   extract.go, risk.go, iterators.go
//	simplify  until every block and edge means something in the source   simplify.go
//	place     a place for each edge that can have one               graph.go
//	weigh     how often each edge is expected to be taken           weights.go
//	number    paths, and resolve what cannot be told apart          number.go
//
// For example
//
//	func abs(x int) int { if x < 0 { return -x }; return x }
//
// has the graph
//
//	0 (x < 0) ─if.then─▶ 1 (return -x) ─return─▶ exit
//	    └─────if.else──────────────────▶ 2 (return x) ─return─▶ exit
//
// where code on 0→1 goes behind the opening brace, and code on 0→2 before the second return.
//
// The nodes of package pathnum's graphs are the blocks of these; the algorithms there
// never see SSA, and nothing outside this package does.
//
// Not handled: files that import "C". Their packages are given with cgo's translation of these.
package ssacfg
