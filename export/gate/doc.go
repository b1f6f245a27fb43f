// Package gate checks the coverage of a profile against demands. It says what is missing in words that a test can be written
// from: the conditions that would have to hold. The result is written as text, JSON, SARIF, and as GitHub's commands.
//
// Four things are measured: paths, branches (edges out of blocks with several), conditions (the outcomes true and false of each)
// and statements. Statements are runs of them, which are executed together. Declined functions are in none of these. A path that
// is infeasible by simple reasoning (see [profile.Function.Infeasible]) is not demanded, and neither is a branch or outcome that
// only such paths have. What is demanded is counted by a walk over the graph that keeps what is known of conditions. The walk
// would take too long where too many things are known in too many combinations. Then the paths of a function are demanded all,
// and the function is listed.
//
// What is marked with //goprofinstr:ignore, and generated files, are not demanded (see package ignore). A branch is not demanded
// if it leads to marked code, or from there, and an outcome is not if all its branches are not. A path is not if it passes marked
// code, or takes such a branch. But a marked line in a longer block of the graph takes no path with it. The branch past a block
// that is marked is demanded.
//
// A function whose counts cannot be read counts as not covered, and so does what damaged run data would have to
// tell. If the graph of a function, or a package, or something of the baseline cannot be read, the check has
// failed. It is not known what is missing.
//
// On changed lines only, a path counts if one of its blocks has a changed line. A branch does if its condition, or the block it
// leads to, has one, and so on.
//
// # Which paths to name
//
// A function can have more missing paths than anybody could list. Paths are chosen and ordered by use. First come those that
// would execute branches that nothing has executed, each time with the paths before taken for executed. Among these are first
// those that come closest to what is executed often. Of a function with many paths only some are looked at. They leave an
// executed path by one branch, or lead through a branch that is missing.
package gate
