// Package contexts compares calling context trees: two that were sampled, and one with a CPU profile of runtime/pprof.
//
// The first is the precision of Whaley, "A portable sampling-based profiler for Java virtual machines" (PCCT,
// Java Grande 2000), section 6. It is the correlation coefficient of the weights of nodes and edges of two
// trees. The weight is 0 where a tree does not have a node or edge. Nodes are the same if the names of the
// functions from the root to them are. Lines, of which our nodes have some, are of no account.
//
//   - [Times]: of each node the CPU time that was spent in its function itself. [TimesOf] has the same of
//     runtime/pprof, which tells what any sampler could have found of it;
//   - [New]: of each edge the CPU time of the samples that found its lower function to have been called since the sample before;
//   - [Calls]: of each edge the calls of its lower function from the upper one, in that context, which the paper does not have;
//   - [Union]: nodes and edges. The paper's are Times and New.
//
// What chance leaves of it is told by [Effective].
//
// The second is the overlap of shares (PEP 6.4) of CPU time by function ([ByFunction], [ByFunctionOf]). Time that was
// spent in what is not instrumented is the nearest instrumented caller's.
//
// # Example
//
//	main ─ parse ─ next    5 ms in one tree, 4 ms in the other
//	main ─ parse           1 ms             2 ms
//	main ─ next            0 ms             1 ms
//
// The means are 2 and 7/3, and the correlation is (3·5/3 + 1·1/3 + 2·4/3) / √((9+1+4)·(25/9+1/9+16/9)) =
// 0.990. With nothing but next known to be instrumented, the second tree has 5 ms of next and 2 ms of none.
//
// # Not handled
//
// Goroutines' labels are of no account. The runtime calls package main by that name, and tables by its import
// path: of programs only test binaries can be folded.
package contexts
