// Package builds reads profile directories whose runs may be of several builds of a program. A fleet has such runs
// while a new version is rolled out.
//
// A build is known by its path tables, which every run file has. Runs whose tables do not contradict each other add up
// exactly, whatever else differs. For the runs
//
//	run.1.gpi   service shop     m/cart: table A, m/db: table B
//	run.2.gpi   service canary   m/cart: table A, m/db: table B
//	run.3.gpi   service shop     m/cart: table C, m/db: table B
//
// of one directory, [Read] returns three [Counts]. Those of runs 1 and 2 have equal tables and another service, that of
// run 3 has another table of m/cart.
//
// # Not handled
//
// That runs whose tables are equal were of sources that differ elsewhere: nothing in such a profile tells. Runs of one
// source that were counted in different ways, as with -mode exact and sampled, are of two builds.
package builds
