// Package prime tells of the prime paths of a function how often each was executed.
//
//	fn := prime.Of(f, prime.Options{Most: 20})
//	fn.Total[prime.Missing]           // how many were not executed
//	fn.List[prime.Covered][0].Edges   // of the most frequent one
//
// A simple path has no block twice, but for one that both begins and ends it. It is prime if it is part of no other
// simple path (Ammann & Offutt, "Introduction to Software Testing", 2nd edition, 7.2.1). Of a loop
//
//	   0 entry
//	   │a
//	┌─▶1──d──▶3 exit
//	│  │b
//	c  │
//	└──2
//
// these are a·d, which skips it; a·b, which enters it; b·c and c·b, which go round once and more often; and c·d, which
// leaves it. gcc 15 calls that -fpath-coverage. It tells which were covered, and here they have counts, too.
//
// # Where counts come from
//
// Paths are cut at back edges (BL 4). A prime path that has a back edge at its end at most is in one path, so that it has
// the counts of those that it is in. One that has another is in a pair of paths which followed each other (Pairs, of wrap
// -iterations 2), and has the counts of these pairs. Both are exact, unless a function had so many pairs that some were
// sampled. Then there is an estimate for these, and bounds: what was sampled was executed for certain.
//
// A prime path over more back edges, as from an inner loop over the outer one into the next, is in a row of three paths or
// more. The paths in the middle are whole, and in two pairs each. Of n executions of such a path, a came from where the
// prime path comes and b went where it goes: then there were at least a+b-n of it, and at most the lesser of a and b. That
// says of many whether they were executed. The others are not told, and counted apart.
//
// # How many there are
//
// Their number can be exponential in that of branches. Those that were executed are found in paths and pairs, in time by
// their length. All of them are enumerated for what is missing, up to [Most] of a function. With more, it is known which
// were covered and not what is missing.
//
// # What is not known
//
//   - What an activation had executed behind its last path's end, when a panic or the end of the program abandoned it, has
//     no part in these counts.
//   - Edges that no place in the source tells apart are one (table.Function.Merged). Two edges between the same blocks make
//     two paths.
//   - Prime paths with a part on which conditions contradict each other are infeasible. There may be more of them.
package prime
