// Package calibrate estimates how often paths were executed from what windows saw of them, and how sure that is.
//
// The runtime gives each site a level. Sites of level 0 are counted: every path end there is known. Sites of level 1
// are seen in windows in which the sites of levels 0 and 1 are armed, sites of level 2 in windows that arm levels 0, 1
// and 2, and so on. The sites of each level are some thirty times as frequent as those of the level below:
//
//	level 0   up to    1,000 path ends in 10 ms, all of which are known
//	level 1   up to   30,000                     windows of level 1 see 0.3 ms of them
//	level 2   up to  600,000                     windows of level 2 see 0.1 ms
//	level 3   all others                         windows of level 3 see 8,192 path ends
//
// A window stands for some CPU time, and its clock says how much CPU time it saw. The ratio is the weight of what it
// saw. Where paths end every nanosecond, most of the window's time is the probes' and that of cold caches. The weight
// is then too small by a factor of 1.5 to 25. The factor is the same for all path ends in the window, and those of
// lower levels are among them. Their totals are known: so the factor is.
//
//	                  executions   seen at level 1   seen at level 2, times weights
//	an exit                   10          1                  0     level 0: known
//	an outer loop            330         33                  2     10 times what was seen, as for the exit
//	an inner loop         11,900          -                 70     170 times, as for the two above: 340 for 2
//
// Each level needs its ratio to the levels below only, which windows see often. No window has to be so long that the
// rarest site and the most frequent one are both in it, and the clock's error does not matter.
//
// # Groups
//
// Factors differ between loops. The windows of a level are in groups, by the function with most path ends and by path
// ends in a nanosecond; windows of one group share a factor. The factors of a level are chosen so that the estimates
// of the lower levels come out right: weights are calibrated, as in Deville & Särndal, "Calibration Estimators in
// Survey Sampling" (JASA 87, 1992), with ratios from phase to phase as in Neyman, "Contribution to the Theory of
// Sampling Human Populations" (JASA 33, 1938). They have one factor for each control; here a group may have seen
// none. So the logarithms of factors have a normal distribution around a center of their own, which the groups that
// saw much determine together (DerSimonian & Laird, "Meta-Analysis in Clinical Trials", Controlled Clinical Trials 7,
// 1986). The center is 0, which is what the clock says, if none did.
//
// A control of a phase that few windows were in, such as the start of the program, is left out: it would say of all
// windows what is true of none.
//
// # Intervals
//
// Path ends in one window are alike. So windows are dealt out to replicates, and an interval is that of the
// delete-a-group jackknife: all of the above without one replicate, for each of them (Wolter, "Introduction to
// Variance Estimation", chapter 4). To that comes what a factor may be off for want of sightings, which no replicate
// shows.
//
// # Not handled
//
// Levels that are too far apart. Where nothing lies between a loop of 20,000 rounds or more and what enters it, as in
// a scan of megabytes, windows hardly ever see an exit. The factor is what the clock says, the interval is wide, and
// the sum of estimates was 0.6 to 1.3 of the truth.
//
// Phases of the program that are shorter than some ticks. What is sampled there is as uncertain as the number of
// windows in it is small.
package calibrate
