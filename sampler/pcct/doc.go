// Package pcct is the partial calling context tree of Whaley, "A portable sampling-based profiler for Java virtual
// machines" (Java Grande 2000), here PCCT, section 5. It is linked into instrumented programs, where package rt attaches what
// its signal handlers find on stacks. So it imports nothing and has no memory but chunks that it is given. It takes no lock:
// one thread at a time may be in it.
//
// Of the stacks (outermost frame first, functions with the line that they are at)
//
//	main:7  parse:20  next:3      main:7  parse:20  next:3      main:9  next:4
//
// comes the tree
//
//	main:7 ─ parse:20 ─ next:3    time of two samples
//	main:9 ─ next:4               time of one
//
// A node is a parent and a [Location]. A location is a frame of the stack with the line that it is at and all the functions
// that the compiler has inlined there. A node of the paper's is a function in a context. Here it is all nodes that differ in
// the line of their innermost frame. Readers of a tree put these together, and have lines for the node. The paper's edges
// are in their lower nodes: a node has one parent.
//
// Below a node there may be paths (Ball & Larus) that functions took in that context.
//
// Everything is an entry of one arena, which is filled from front to back: an entry comes after those that it refers to. Nodes
// and paths are the exception: they are folded when there are many (see [Tree.Purge]), and their places are used again. The
// order makes the arena a file format, too, in which a reader finds all nodes without a traversal:
//
//	entry                                            word
//	┌────────────────────────────────────────────┐
//	│ kind │ length in words << 8 │ about << 32  │  0   written last
//	│ …                                          │
//	└────────────────────────────────────────────┘
//
//	kind      about            words from 1 on
//	text      length in bytes  the bytes
//	function  its line         name | file << 32 (texts)
//	location  how many frames  function | line << 32, of each, innermost first
//	labels    how many         key | value << 32 (texts), of each
//	node      parent           location or labels; CPU time in ns; samples; CPU time in ns of samples that found its activation new; the writer's own
//	path      node, or 0       two words that say what path; estimate; samples; CPU time in ns. Below 0 is what has lost its context
//	free                       the writer's own
//
// An entry is referred to by its index: the word of the arena that it begins at. Node 0 is the root. A node for labels is a
// child of the root, and has below it what goroutines with these labels did.
//
// # What is not handled
//
//   - Texts, functions, locations and labels are never taken out. When the arena is full all the same, samples go to the
//     innermost node that there is. Where goroutines have ever new labels, later ones are left out when half of the arena
//     is taken.
//   - Of a stack of more than [MostDepth] frames, the frames further out are known only from the last stack. As far as that is
//     remembered, it is held against the return addresses that are there now. Further out, and where they differ, a context
//     begins in the middle, as in PCCT's figure 10.
package pcct
