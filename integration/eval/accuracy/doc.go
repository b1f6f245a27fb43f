// Package accuracy says how close an estimated path profile, one from samples, comes to an exact profile of the same
// program doing the same work. The measures are those of Bond and McKinley, "Continuous path and edge profiling"
// (PEP, MICRO-38):
//
//   - [Paths]: Wall's weight matching (PEP 6.3), whether the hot paths are found;
//   - [Relative]: relative overlap (PEP 6.4), whether the bias of each branch is right;
//   - [Absolute]: absolute overlap (PEP 6.4), whether the frequencies of edges are right.
//
// Each is a share: 1 is a perfect estimate. Counts are compared as shares of their profile only, so the
// factor between samples and executions is of no account.
//
// [Predict] turns the edges of a profile into the paths that they make one expect. Its accuracy is what paths are
// measured for at all: what an edge profile alone would have told.
//
// # Example
//
// A function of two branches in turn, whose paths were executed
//
//	path   exact  flow   samples  flow   predicted from the exact edges
//	TT       600  1200        30    60   1000 × 0.65 × 0.65 = 422.5
//	TF        50   100         6    12   1000 × 0.65 × 0.35 = 227.5
//	FT        50   100         0     0   1000 × 0.35 × 0.65 = 227.5
//	FF       300   600        14    28   1000 × 0.35 × 0.35 = 122.5
//
// Flow is executions × branches. All four paths are hot. The samples miss FT, so Paths is 1900/2000 = 0.95.
// The first branch goes T in 0.65 of all executions and in 0.72 of the samples. The second does in 0.65 and
// in 0.6. So Relative is ((1−0.07)+(1−0.05))/2 = 0.94. For Absolute the edges have shares of 0.325, 0.175,
// 0.325, 0.175 of all executions of edges, and 0.36, 0.14, 0.3, 0.2 of the samples. The sum of the lesser
// ones is 0.94 here, too.
//
// # Not handled
//
// Edges are those of whole paths (PEP 3.3), in the exact profile, too. What abandoned activations had
// executed of a path is left out: samples cannot show it. Contexts are not compared. Functions are joined by
// name and position, and their graphs have to be the same; path numbers need not be.
package accuracy
