// Package callers asks whether calls have their callers: eval callers. Ten generated programs of two kinds of
// functions with one loop each, callers and the one that they call, do a number of calls that is known for each
// caller; a sampled profile should have all calls with their caller, and the shares of callers within five points.
//
// Path ends that begin at the entry of the one that is called are few beside those of its loop: one in a hundred
// rounds, or in a thousand.
package callers
