// Package callers asks whether calls have their callers: eval callers. Ten generated programs have two kinds of
// functions with one loop each: callers, and the one that they call. They do a number of calls that is known
// for each caller. A sampled profile should have all calls with their caller, and the shares of callers within
// five points.
//
// Path ends that begin at the entry of the called function are few beside those of its loop. They are one in a
// hundred rounds, or in a thousand.
package callers
