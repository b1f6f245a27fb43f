// Package timing chooses where in a function's loops time is taken. So two versions of the function can be compared
// though it is seldom called. It follows Lau, Arnold, Hind & Calder, "A loop correlation technique to improve
// performance auditing" (AUDIT), section 5.
//
// [Choose] is figure 2 of the paper, on a graph of blocks that know how often they are executed and what their instructions cost:
//
//	is it needed?   the share of the entry block in the executions of all blocks   5.1
//	which loops     outermost first, those that are frequent enough                5.2   loops.go
//	which block     the one that is about as frequent as is wanted, and is never   5.3   choose.go
//	                executed twice in a row too soon                               distance.go
//	versions        the same points in all of them                                       versions.go
//
// For example
//
//	func sum(blocks [][]byte) (n int) { for _, b := range blocks { n += crc(b); if n < 0 { n = 0 } } return n }
//
// has a point at the start of the loop's body. Package rt has the code of a point (Lap): it takes time at one in so many passes
// that some microseconds lie between.
//
// Departures from the paper:
//
//   - A point takes time once in a stride of passes, and a decrement and a branch at the others. So points can be in loops that
//     are frequent and still do not slow the function down, and all timings are merged ones (5.4). The paper takes time at each
//     pass and has the target of frequency alone to bound their number.
//   - Each point has a timer of its own, which the first pass of an activation starts. So what is timed is always the same:
//     passes. The paper has one timer. So the time from the entry to the first point is among the timings, as is the time from
//     the last point to the exit. Entry and exit are no timing points here, and may be near.
//   - Timings are not split (5.4): laps of all versions are of as many passes. N times T/N would count as N timings, and are one.
//   - Blocks that are executed no more often than the function is called are not chosen. They tell nothing more than
//     the time of the whole call.
//   - Where no loop is as frequent as the target, the most frequent one that is not tight has a point. The paper has none then.
//   - With measured frequencies a point is tight by the mean cost between its passes; with estimates only, by the shortest way.
//     The paper's timer needs so much between any two passes, and a decrement does not.
//   - Distances to other points are looked at in both directions; the paper has those from a block only. The iterations of
//     inner loops are in them.
//
// Not handled: loops with two entries, by goto, are none here. Nor are loops that are calls, and loops in what is called: a
// recursive function is timed by its calls.
package timing
