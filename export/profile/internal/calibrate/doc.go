// Package calibrate estimates how often paths were executed from what windows saw of them, and how sure that is.
//
// The runtime gives each site a level. Sites of level 0 are counted: every path end there is known. Sites of level 1
// are seen in windows in which the sites of levels 0 and 1 are armed. Sites of level 2 are seen in windows that arm
// all:
//
//	level 0   all path ends are known
//	level 1   up to 100,000 path ends in 10 ms    windows of level 1 take 1 ms
//	level 2   all others                          windows of level 2 take 0.1 ms
//
// There might be more levels.
//
// A window stands for some CPU time, and its clock says how much CPU time it saw. The ratio is the weight of what it
// saw. Where paths end every nanosecond, most of the window's time is the probes' and that of cold caches. The weight
// is then too small by a factor of 1.2 to 3. The factor is the same for all path ends in the window, and those of
// lower levels are among them. Their totals are known: so the factor is.
//
//	                  executions   seen at level 1   seen at level 2, times weights
//	an exit                   10          1                  0     level 0: known
//	an outer loop            330         33                  2     10 times what was seen, as for the exit
//	an inner loop         11,900          -                 70     170 times, as for the two above: 340 for 2
//
// Each level needs its ratio to the levels below only, which windows see often. No window has to be so long that the
// rarest site and the most frequent one are both in it. The clock's error does not matter.
//
// # Factors
//
// A level has one factor: the known executions of lower levels over what its windows saw of them. This is a ratio
// estimate in phases (Neyman, "Contribution to the Theory of Sampling Human Populations", JASA 33, 1938). Deville &
// Särndal, "Calibration Estimators in Survey Sampling", JASA 87, 1992, have it for controls that are known. Controls are
// pooled and not taken one by one. Where a control was seen once, its own ratio says nothing, and the mean of ratios is
// far too large. What was sampled itself is a control if windows of its own level saw it in most parts of the run. The
// start of the program, in which few windows were, would say of all windows what is true of none.
//
// A control need be no path. Where counting copies count, activations of functions are controls whose paths are sampled
// (rundata.Control).
//
// Where windows saw few controls, the logarithm of the factor is drawn to 0, which is what the clock says. The weights
// of the two are the inverses of their variances. The clock is off by a factor of 1.4 or less in two of three cases
// (Prior.Center). The variance of the other is the jackknife's, and so is how much it is too large for being divided by
// something uncertain.
//
// Windows of a level differ in how many path ends they have in a nanosecond. That is their group. A group's factor may
// be off by some more (Prior.Width). The width of intervals has this, but not the estimate: factors for groups, by
// function or by density, had more noise than they took away.
//
// # Intervals
//
// Path ends in one window are alike. So windows are dealt out to replicates, and an interval is that of the
// delete-a-group jackknife. It does all of the above without one replicate, for each of them (Wolter, "Introduction
// to Variance Estimation", chapter 4). To that comes what a factor may be off for want of sightings, which no
// replicate shows.
//
// # Not handled
//
// Levels that are too far apart. Where nothing lies between a loop of 20,000 rounds or more and what enters it,
// windows hardly ever see an exit. A scan of megabytes is such a loop. The factor is what the clock says, and the
// interval is wide.
//
// Phases of the program that are shorter than some ticks. What is sampled there is as uncertain as the number of
// windows in it is small.
package calibrate
