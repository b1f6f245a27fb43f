// Package pathnum numbers the acyclic paths of a control-flow graph and
// places the code that computes the numbers.
//
// It implements sections 3 to 5 of Ball & Larus, "Efficient path profiling"
// (MICRO-29, 1996), here BL. The order is that of Bond & McKinley, "Continuous
// path and edge profiling" (MICRO-38, 2005), here PEP, section 3.4. The package
// works on plain graphs. It knows nothing of SSA, source code or Go, so that its
// tests are small graphs and brute force.
//
// # A worked example
//
// A loop over an if:
//
//	      0 entry
//	      │e0
//	   ┌─▶1───e1──▶5 exit
//	   │  │e2
//	   │  2
//	   │ ╱ ╲e3, e4
//	   │ 3   4
//	   │ └─┬─┘
//	e7 │   │e5, e6
//	   └───6
//
// e7 is a back edge. It is cut: a path that takes it ends with it, and the
// next path starts at its target, block 1. In the numbered graph (BL 4) the
// dummy edge 6→EXIT stands for the end and ENTRY→1 for the new start. So
// six paths lead from ENTRY to EXIT. The values Val of the edges on a path
// sum up to its number (BL 3.2):
//
//	0  0→1→2→3→6⤴    Val: e0 0, e2 0, e3 0, e5 0, e7 0
//	1  0→1→2→4→6⤴         e4 1, e6 0
//	2  0→1→5              e1 2
//	3    1→2→3→6⤴         dummy edge ENTRY→1: 3
//	4    1→2→4→6⤴
//	5    1→5
//
// Code is not needed on every edge that has a value. A spanning tree takes the
// edges that run most often. The chords are the edges that are not in the tree:
// their increments Inc do the work for all (BL 3.3). Where possible, the
// initialisation of the path register r and the count at the end of the path
// are folded into chords (BL 3.4). [New] finds, when each edge is given its
// expected frequency,
//
//	e1  count[r+2]++
//	e5  count[r]++
//	e6  count[r+1]++
//	e7  r = 3
//
// with r = 0 at function entry, so that an iteration costs one count and one constant. The [Decoder] turns a number back into
// its path (BL 3.5) with no more than the edges and their values.
//
// # Differences from the paper
//
// ENTRY is a vertex of its own, in front of the entry block, so that
// the entry block may be the header of a loop. Its edge to the entry block has Val
// 0 and is always in the tree. So the numbers below NumPaths(entry block) are
// those of the paths that start at function entry.
//
// Every cut edge has a dummy edge v→EXIT to itself, also if v is the source of
// several. So the number of a path tells which cut edge ended it. A self loop is
// a cut edge like any other. BL has a counter for it: here that is the counter
// of the path that consists of the loop edge only.
//
// Some edges of a source program have no place for code. They
// are [Edge.Fixed]: they go into the tree first, and neither initialisation nor
// count is put on one. Where Fixed edges form cycles, some of them close the cycles and should have the increment 0. The order in
// which the edges out of a block are numbered is chosen to make it so, if possible. Some blocks can be left by a panic; no count
// is moved above them ([Graph.Pinned]).
//
// The paper moves initialisation and count as far as it can. Here they stay
// where they are unless some chord ahead absorbs them: without one the same
// work would be done in more places.
//
// The paper does not say what the dummy edges ENTRY→w weigh. Here they weigh nothing: a back edge
// sets r to a constant whether or not the dummy is a chord. Against the weight of the
// back edges, that saved a third of the additions per path on random structured programs.
//
// # What is not handled
//
// New refuses graphs with unreachable blocks, with the entry as exit, or with blocks other than
// the exit that have no out edges. It also refuses Fixed edges that close a cycle in their
// direction, and those that close one without regard to direction and need code. The types of
// the errors say which edges are to blame where the caller can do something about it. Paths
// through several iterations of a loop and paths across calls are not numbered.
package pathnum
