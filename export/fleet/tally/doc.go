// Package tally has what runs have counted in a form that is small, and can be added up. It has how often each path
// was executed, without those that never were.
//
//	before := tally.Of(run)          // some 8 kB, of a run file of megabytes
//	…
//	since, err := tally.Of(run).Sub(before)
//	err = total.Add(since)
//	p, err := total.Profile(tables)  // for reports, pages and pprof
//
// What is counted exactly stays so, with all that a run has of it. That is paths, what abandoned activations had executed, and
// values of events and their names. Of what was sampled a tally has the estimate and the number of samples of each path and
// value. It has how many ticks, samples and how much CPU time that took in all. It has which functions nothing can count: of
// several runs, those that none of them counts. Of intervals it has how far off all estimates may be together, and not what sets
// of samples would have said. A tally has calling contexts only if they are put into it.
//
// A value that has a name, such as the target of a call, is an address in a run, which means nothing in another one. In a tally
// its number is a hash of the name.
//
// Counts of exact runs never shrink. Estimates may: what one path gains in the light of later samples another one may lose.
// [Carry] makes deltas of them of which none is negative.
package tally
