// Package tally has what runs have counted in a form that is small, and can be added up: how often each path was
// executed, without those that never were.
//
//	before := tally.Of(run)          // some 8 kB, of a run file of megabytes
//	…
//	since := tally.Of(run).Sub(before)
//	total.Add(since)
//	p, err := total.Profile(tables)  // for reports, pages and pprof
//
// What is counted exactly stays so, with all that a run has of it: the paths, what abandoned activations had executed, values
// of events that need no names. Of what was sampled a tally has the estimate and the number of samples of each path. It has no
// intervals, and calling contexts only if they are put into it.
//
// Counts of exact runs never shrink. Estimates may: what one path gains in the light of later samples another one may lose. [Carry] makes
// deltas of them of which none is negative.
package tally
